/** What plugins are written against: `mediaproc/tool`. */

import type { Engine } from '../../engines/engine.ts'
import type { Tool } from '../contract.ts'
import type { PictureFormat } from './format.ts'

export type { Engine, EngineStatus } from '../../engines/engine.ts'
export { type ErrorCode, MediaprocError } from '../../errors.ts'
export { avTool } from '../av-tool.ts'
export { action, oneFile, type Tool, tool } from '../contract.ts'
export { imageAction, imageTool } from '../image-tool.ts'
export { SAME_PICTURE } from '../output-type.ts'
export { pdfTool } from '../pdf-tool.ts'
export {
  boolean,
  choice,
  color,
  group,
  integer,
  list,
  number,
  type Setting,
  type SettingsTable,
  text,
} from '../settings.ts'

export { defineFormat, type FormatHolds, type FormatLimits, type FormatPicture, type PictureFormat } from './format.ts'

/** What a plugin exports by default: tools, picture formats, and the adapters of libraries and programs that tools need. */
export interface Plugin {
  /** The first part of its ids, `games` in `image/games.soften`; by default from the name of the package or folder. */
  name?: string
  tools?: readonly Tool[]
  formats?: readonly PictureFormat[]
  engines?: readonly Engine[]
}

/** Types the declaration of a plugin. */
export const plugin = (declaration: Plugin): Plugin => declaration
