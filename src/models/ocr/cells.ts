import { lastOf } from '../../lists.ts'
import { boundsOf } from './geometry.ts'
import { isApart } from './order.ts'
import type { TextRun } from './text-run.ts'

interface Span {
  text: string
  left: number
  right: number
}

/** The runs of a line that are close to each other: a line of running text, or a table cell. */
export interface Cell extends Span {
  words: readonly Span[]
  /** Vertical centre. */
  middle: number
  height: number
}

const EVERYWHERE = { width: Number.MAX_SAFE_INTEGER, height: Number.MAX_SAFE_INTEGER }

function spanOf({ text, box }: { text: string; box: TextRun['box'] }): Span {
  const { x, w } = boundsOf(box, EVERYWHERE)
  return { text, left: x, right: x + w }
}

function cellOf(runs: readonly TextRun[]): Cell {
  const spans = runs.map(spanOf)
  return {
    text: runs.map(({ text }) => text).join(' '),
    left: Math.min(...spans.map(({ left }) => left)),
    right: Math.max(...spans.map(({ right }) => right)),
    words: runs.flatMap((run) => run.words.map(spanOf)),
    middle: runs.reduce((sum, { box }) => sum + box.centre.y, 0) / runs.length,
    height: Math.max(...runs.map(({ box }) => box.height)),
  }
}

/** The cells of a line, from left to right. */
export function cellsOf(line: readonly TextRun[]): Cell[] {
  const groups: TextRun[][] = []
  for (const run of line) {
    const last = groups.at(-1)
    if (last && !isApart(lastOf(last).box, run.box)) last.push(run)
    else groups.push([run])
  }
  return groups.map(cellOf)
}
