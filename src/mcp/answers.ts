import type { CallToolResult } from '@modelcontextprotocol/server'
import { ERRORS, type ErrorCode, type MediaprocError, toMediaprocError } from '../errors.ts'
import type { Place } from './definitions.ts'

/** Hints for agents, where those for people name options of the command line. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  UNKNOWN_TOOL: 'Find tools with search_tools.',
  INVALID_SETTINGS: 'describe_tool lists the settings with their ranges.',
  UNSUPPORTED_FILE_TYPE: 'describe_tool lists the types that the tool takes.',
  OUTPUT_EXISTS: 'Choose another output_dir or output_name; if the user agrees to replace it, pass overwrite: true.',
  OUTPUT_COLLISION: 'Run the tool for these files in separate calls, with different output_dir.',
  IS_A_FOLDER: 'Name the files in it.',
  PASSWORD_PROTECTED: 'Open it first with pdf/unlock-pdf.',
  INVALID_PIPELINE: 'Steps are [{"tool": "image/resize", "settings": {"width": 800}}]; explain: true checks them.',
  PROCESSING_FAILED: 'Check the file with inspect_file, or try other settings.',
  TIMEOUT: 'Use a smaller file or cheaper settings.',
  DISK_FULL: 'Ask the user to free space, or use another output_dir.',
  INTERNAL: 'Tell the user; another call with the same arguments will fail, too.',
}

/** The hint for an agent; undefined where that for people fits. */
export const agentHint = (code: string): string | undefined => (HINTS as Record<string, string | undefined>)[code]

/** The hint of an error: its own, or that for agents. */
function hintOf(error: MediaprocError, place: Place): string {
  const { hint } = ERRORS[error.code]
  const isDefault = error.hint === (typeof hint === 'string' ? hint : hint.shell)
  const own = HINTS[error.code]
  if (isDefault && own !== undefined) return own
  return place === 'local' ? error.hint : error.httpHint
}

/** An error as data: code, message and hint. */
export function failureOf(thrown: unknown, place: Place): { code: string; message: string; hint?: string } {
  const error = toMediaprocError(thrown)
  const hint = hintOf(error, place)
  // Details of unexpected errors may be about the server.
  const message = place === 'local' ? error.message : error.httpMessage
  return { code: error.code, message, ...(hint !== '' && { hint }) }
}

export type Failure = ReturnType<typeof failureOf>

/** `message (CODE). hint` */
export const failureText = ({ code, message, hint }: Failure): string =>
  `${message} [${code}]${hint === undefined ? '' : `\n${hint}`}`

/** The result of a call that failed. */
export function errorResult(failure: Failure): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: failureText(failure) }],
    structuredContent: { error: failure },
  }
}

/** The result of a call that only returns data: as JSON, in the text and as structured content. */
export function dataResult(data: object): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: { ...data },
  }
}

/** An output of a run. */
export interface ResultFile {
  uri: string
  name: string
  bytes: number
  mimeType: string
  /** On this machine. */
  path?: string
}

/** A small picture of a result. */
export interface Preview {
  /** Base64. */
  data: string
  mimeType: string
}

/** The result of a run: text, structured content, links to the outputs, and previews. */
export function runResult(
  data: Record<string, unknown>,
  files: readonly ResultFile[],
  previews: readonly Preview[],
  isError = false,
): CallToolResult {
  return {
    content: [
      { type: 'text', text: JSON.stringify(data) },
      ...files.map(({ uri, name, bytes, mimeType }) => ({
        ...{ type: 'resource_link' as const, uri, name, mimeType, size: bytes },
      })),
      ...previews.map(({ data: picture, mimeType }) => ({ type: 'image' as const, data: picture, mimeType })),
    ],
    structuredContent: data,
    ...(isError && { isError }),
  }
}
