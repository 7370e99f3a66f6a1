import { extensionOf } from './accept.ts'

/** How the console shows a file. */
export type Kind = 'image' | 'video' | 'audio' | 'pdf' | 'json' | 'table' | 'text' | 'other'

const KINDS: Readonly<Record<Exclude<Kind, 'other'>, readonly string[]>> = {
  image: ['jpg', 'jpeg', 'png', 'apng', 'webp', 'avif', 'gif', 'bmp', 'svg', 'ico'],
  video: ['mp4', 'm4v', 'webm', 'mov', 'ogv'],
  audio: ['mp3', 'm4a', 'aac', 'wav', 'ogg', 'oga', 'opus', 'flac'],
  pdf: ['pdf'],
  json: ['json'],
  table: ['csv', 'tsv'],
  text: ['txt', 'md', 'xml', 'html', 'srt', 'vtt', 'ass', 'yaml', 'yml', 'jsonl', 'css', 'log'],
}

/** The kind of a file that browsers can show; HTML is shown as text, never as a page. */
export function kindOf(name: string): Kind {
  const extension = extensionOf(name)
  const found = (Object.keys(KINDS) as Exclude<Kind, 'other'>[]).find((kind) => KINDS[kind].includes(extension))
  return found ?? 'other'
}
