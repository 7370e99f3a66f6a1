/** A pipeline in an address. It is behind `#`, so that no server or log receives it. */
import { type Definition, readDefinition } from './definition.ts'

/** Longest definition in a link, in characters: longer addresses are cut by mail programs and chats. */
const MOST = 8000

function encoded(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function decoded(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)))
}

/** The fragment of a link; undefined if the pipeline is too long for one. */
export function fragmentOf(definition: Definition): string | undefined {
  const fragment = `#pipeline=${encoded(JSON.stringify(definition))}`
  return fragment.length <= MOST ? fragment : undefined
}

export function linkOf(definition: Definition): string | undefined {
  const fragment = fragmentOf(definition)
  return fragment && new URL(`pipelines/new${fragment}`, document.baseURI).href
}

/** The pipeline of a fragment; undefined if it has none that can be read. */
export function readFragment(fragment: string): Definition | undefined {
  const [, text] = /^#pipeline=([\w-]+)$/.exec(fragment) ?? []
  if (text === undefined) return undefined
  try {
    return readDefinition(JSON.parse(decoded(text)))
  } catch {
    return undefined
  }
}
