import { basename } from 'node:path'
import { environmentText } from '../../environment.ts'
import type { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import type { Io } from './io.ts'

/** Messages often start with the file's name, which the line already starts with. */
export function withoutName(message: string, given: string): string {
  for (const name of [given, basename(given)].map(printableName))
    for (const start of [`${name} `, `${name}: `]) if (message.startsWith(start)) return message.slice(start.length)
  return message
}

/** An error as display lines: the message with its code, the hint, and with `verbose` the engine's message. */
export function errorLines(io: Io, error: MediaprocError, verbose: boolean, given?: string): string {
  const { red, dim } = io.errColours
  const about = given === undefined ? '' : `${printableName(given)}: `
  const sentence = given === undefined ? error.message : withoutName(error.message, given)
  const lines = [`${red('mediaproc:')} ${about}${sentence} ${dim(`(${error.code})`)}`]
  if (error.hint) lines.push(`  ${error.hint}`)
  if (verbose && error.detail)
    lines.push(
      ...error.detail
        .trimEnd()
        .split('\n')
        .map((line) => dim(`  | ${printableName(line)}`)),
    )
  if (environmentText('MEDIAPROC_DEBUG') === '1') lines.push(String(causeOf(error).stack))
  return `${lines.join('\n')}\n`
}

const causeOf = (error: Error): Error => (error.cause instanceof Error ? error.cause : error)
