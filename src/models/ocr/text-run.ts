import { boundsOf, type TurnedBox } from './geometry.ts'
import { isApart, readingOrder } from './order.ts'

/** A word and its position. */
export interface Word {
  text: string
  box: TurnedBox
}

/** Consecutive words without a wide gap: a line of text, or a table cell. */
export interface TextRun {
  text: string
  /** 0 to 1. */
  confidence: number
  box: TurnedBox
  words: readonly Word[]
}

/** A run in the response. */
export interface Block {
  text: string
  confidence: number
  /** px of the upright image. */
  bbox: { x: number; y: number; w: number; h: number }
  /** From 0, in reading order. */
  line: number
}

/** The runs of an image in reading order, line by line. */
export function linesOfRuns(runs: readonly TextRun[]): TextRun[][] {
  return readingOrder(runs.filter(({ text }) => text !== ''))
}

/** Lines as text: table cells are separated by tabs. */
export function textOf(lines: readonly (readonly TextRun[])[]): string {
  const text = (line: readonly TextRun[]): string =>
    line.map((run, at) => (at === 0 ? '' : isApart(line[at - 1]!.box, run.box) ? '\t' : ' ') + run.text).join('')
  return lines.map(text).join('\n')
}

/** Lines as the blocks of the response. */
export function blocksOf(lines: readonly (readonly TextRun[])[], size: { width: number; height: number }): Block[] {
  return lines.flatMap((runs, line) =>
    runs.map(({ text, confidence, box }) => ({
      text,
      confidence: Math.round(confidence * 1e4) / 1e4,
      bbox: boundsOf(box, size),
      line,
    })),
  )
}
