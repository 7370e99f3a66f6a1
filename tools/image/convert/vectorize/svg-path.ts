import type { Point } from './cubic.ts'
import type { Piece } from './fit.ts'

/** Numbers without what SVG does not need: leading zeros, separators before signs. */
export function pathData(pieces: readonly Piece[], decimals: number): string {
  const scale = 10 ** decimals
  const whole = (value: number): number => Math.round(value * scale)
  const text = (value: number): string =>
    (value / scale)
      .toFixed(decimals)
      .replace(/\.?0+$/, '')
      .replace(/^(-?)0\./, '$1.') || '0'
  const last = pieces[pieces.length - 1]
  if (!last) return ''
  const round = ({ x, y }: Point): Point => ({ x: whole(x), y: whole(y) })
  let at = round(last.to)
  const start = at
  let data = `M${joined([text(at.x), text(at.y)])}`
  let command = ''
  const add = (letter: string, numbers: readonly number[]): void => {
    const list = joined(numbers.map((value) => text(value)))
    const isSame = letter === command
    data += isSame ? (needsSpace(data, list) ? ` ${list}` : list) : letter + list
    command = letter
  }
  pieces.forEach((piece, index) => {
    const to = round(piece.to)
    const [dx, dy] = [to.x - at.x, to.y - at.y]
    if (piece.one && piece.two) {
      const [one, two] = [round(piece.one), round(piece.two)]
      add('c', [one.x - at.x, one.y - at.y, two.x - at.x, two.y - at.y, dx, dy])
    } else if (dx === 0 && dy === 0) return
    else if (index === pieces.length - 1 && to.x === start.x && to.y === start.y) return
    else if (dy === 0) add('h', [dx])
    else if (dx === 0) add('v', [dy])
    else add('l', [dx, dy])
    at = to
  })
  return `${data}z`
}

const needsSpace = (before: string, next: string): boolean =>
  !next.startsWith('-') && !(next.startsWith('.') && /\.\d*$/.test(before))

function joined(numbers: readonly string[]): string {
  let text = ''
  for (const number of numbers) text += text !== '' && needsSpace(text, number) ? ` ${number}` : number
  return text
}
