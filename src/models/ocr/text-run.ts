import { boundsOf, type TurnedBox } from './geometry.ts'
import { isApart, readingOrder } from './order.ts'

/** A word, and where it stands. */
export interface Word {
  text: string
  box: TurnedBox
}

/** Words that follow each other without a wide gap: a line of text, or a cell of a table. */
export interface TextRun {
  text: string
  /** 0 to 1. */
  confidence: number
  box: TurnedBox
  words: readonly Word[]
}

/** What the answer says of a run. */
export interface Block {
  text: string
  confidence: number
  /** px of the upright picture. */
  bbox: { x: number; y: number; w: number; h: number }
  /** From 0, in the order of reading. */
  line: number
}

/** The runs of a picture in the order of reading, line by line. */
export function linesOfRuns(runs: readonly TextRun[]): TextRun[][] {
  return readingOrder(runs.filter(({ text }) => text !== ''))
}

/** Lines as text: cells of a table are parted by tabs. */
export function textOf(lines: readonly (readonly TextRun[])[]): string {
  const text = (line: readonly TextRun[]): string =>
    line.map((run, at) => (at === 0 ? '' : isApart(line[at - 1]!.box, run.box) ? '\t' : ' ') + run.text).join('')
  return lines.map(text).join('\n')
}

/** Lines as the blocks of the answer. */
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
