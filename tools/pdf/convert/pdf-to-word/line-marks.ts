import { type Box, isWithin, type Line, type Span, type Vector } from './lines.ts'

/** Marks spans covered by links, completely or in part. */
export function noteLinks<Link>(
  lines: readonly Line[],
  links: readonly Link[],
  read: (link: Link) => { box: Box; address: string },
): void {
  for (const link of links) {
    const { box, address } = read(link)
    if (!/^(https?:|mailto:|#)/i.test(address)) continue
    for (const line of lines)
      if (line.y1 > box.y0 && line.y0 < box.y1)
        line.spans = line.spans.flatMap((span) =>
          isWithin({ ...span, x0: box.x0, x1: box.x1 }, box) ? part(span, box, { link: address }) : [span],
        )
  }
}

/** Changes the part of a span between two positions; assumes letters of equal width. */
function part(span: Span, { x0, x1 }: { x0: number; x1: number }, change: Partial<Span>): Span[] {
  const letters = [...span.text]
  const width = (span.x1 - span.x0) / letters.length
  if (span.x1 <= x0 || span.x0 >= x1 || width <= 0) return [span]
  const from = Math.max(0, Math.round((x0 - span.x0) / width))
  const to = Math.min(letters.length, Math.round((x1 - span.x0) / width))
  const cut = (start: number, end: number, own: Partial<Span>): Span[] => {
    if (start >= end) return []
    const place = { x0: span.x0 + start * width, x1: span.x0 + end * width }
    return [{ ...span, ...own, ...place, text: letters.slice(start, end).join('') }]
  }
  return [...cut(0, from, {}), ...cut(from, to, change), ...cut(to, letters.length, {})]
}

/** Underlines and strikethroughs: thin lines just below letters or through them. Removes them from the table rules. */
export function noteRules(lines: readonly Line[], vectors: Vector[]): void {
  for (const [index, vector] of [...vectors.entries()].reverse()) {
    if (vector.y1 - vector.y0 > 2 || vector.x1 - vector.x0 < 3) continue
    const middle = (vector.y0 + vector.y1) / 2
    const line = lines.find(
      // A rule longer than the words above it separates them from the following text.
      ({ x0, x1, y0, y1, size }) =>
        middle > y0 && middle < y1 + size * 0.2 && vector.x0 > x0 - size && vector.x1 < x1 + size * 0.5,
    )
    if (!line) continue
    let isUsed = false
    line.spans = line.spans.flatMap((span) => {
      const below = (middle - span.baseline) / span.size
      const change =
        below > -0.05 && below < 0.28
          ? { underline: true }
          : below > -0.45 && below <= -0.15
            ? { strike: true }
            : undefined
      if (!change || Math.min(span.x1, vector.x1) - Math.max(span.x0, vector.x0) < span.size * 0.2) return [span]
      isUsed = true
      return part(span, vector, change)
    })
    if (isUsed) vectors.splice(index, 1)
  }
}
