import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentText } from '../../../environment.ts'
import { MediaprocError } from '../../../errors.ts'
import { builtFile } from '../../../root.ts'

export const MEME_CATEGORIES = ['reaction', 'comparison', 'opinion', 'animals', 'classic'] as const

/** Text position, in percent of the image. */
export interface MemeBox {
  id: string
  x: number
  y: number
  width: number
  height: number
  defaultText?: string
}

export interface MemeTemplate {
  id: string
  name: string
  aliases: readonly string[]
  tags: readonly string[]
  category: (typeof MEME_CATEGORIES)[number]
  /** File name in the folder of the manifest. */
  filename: string
  width: number
  height: number
  popularity: number
  textBoxes: readonly MemeBox[]
}

/** manifest.json of a template folder: the bundled one, or the operator's. */
export interface MemeManifest {
  version: 1
  categories: readonly string[]
  templates: readonly MemeTemplate[]
}

/** A template and the path of its image. */
export type FoundTemplate = MemeTemplate & { path: string }

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isPercent = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 100

function isTemplate(value: unknown): value is MemeTemplate {
  const { id, name, filename, textBoxes } = (value ?? {}) as Record<string, unknown>
  return (
    isText(id) &&
    isText(name) &&
    isText(filename) &&
    basename(filename) === filename &&
    Array.isArray(textBoxes) &&
    textBoxes.every((box) => isText(box?.id) && [box.x, box.y, box.width, box.height].every(isPercent))
  )
}

function readManifest(folder: string): MemeManifest {
  const path = join(folder, 'manifest.json')
  const wrong = (detail: string): MediaprocError =>
    new MediaprocError('INVALID_CONFIG', 'The folder of meme templates is not usable', {
      hint: 'MEDIAPROC_MEMES must name a folder with pictures and a manifest.json like the bundled dist/memes.',
      detail: `${path}: ${detail}`,
    })
  let manifest: Partial<MemeManifest>
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw wrong(String(error))
  }
  const { templates } = manifest ?? {}
  if (!Array.isArray(templates)) throw wrong('templates is not a list')
  const bad = templates.findIndex((template) => !isTemplate(template))
  if (bad >= 0) throw wrong(`templates[${bad}] lacks an id, a name, a filename or boxes in percent`)
  const rest = { category: 'classic', tags: [], aliases: [], popularity: 0 } as const
  return { version: 1, categories: MEME_CATEGORIES, templates: templates.map((one) => ({ ...rest, ...one })) }
}

const known = new Map<string, FoundTemplate[]>()

function templatesOf(folder: string): FoundTemplate[] {
  const found = known.get(folder)
  if (found) return found
  const templates = readManifest(folder).templates.map((one) => ({ ...one, path: join(folder, one.filename) }))
  known.set(folder, templates)
  return templates
}

/**
 * All templates: first those in the operator's folder (MEDIAPROC_MEMES), which can override bundled ones by id, then
 * the bundled ones.
 * @throws MediaprocError INVALID_CONFIG when the operator's manifest is invalid
 */
export function memeTemplates(): readonly FoundTemplate[] {
  const folder = environmentText('MEDIAPROC_MEMES')
  const own = folder ? templatesOf(folder) : []
  const ids = new Set(own.map(({ id }) => id))
  return [...own, ...templatesOf(fileURLToPath(builtFile('memes/'))).filter(({ id }) => !ids.has(id))]
}

/** Lower case, with runs of other characters replaced by one hyphen: how names become ids (catalogue). */
export const memeSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Finds the template with this id, or with an equivalent name or alias. */
export function findMemeTemplate(id: string): FoundTemplate | undefined {
  const wanted = memeSlug(id)
  const templates = memeTemplates()
  return (
    templates.find((one) => one.id === id) ??
    templates.find(({ id: own, name, aliases }) => [own, name, ...aliases].some((one) => memeSlug(one) === wanted))
  )
}
