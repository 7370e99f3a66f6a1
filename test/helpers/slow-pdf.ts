/** How often each drawing repeats the one below it, and the number of levels: 20 to the 7th rectangles, hours. */
const REPEATS = 20
const DEPTH = 7

const stream = (content: string, facts = ''): string =>
  `<< ${facts} /Length ${content.length} >>\nstream\n${content}\nendstream`

/** A drawing that repeats the object with this number, or a rectangle. */
function form(below: number | undefined): string {
  const content = below === undefined ? '0.5 g 10 10 100 100 re f' : '/X Do '.repeat(REPEATS)
  const resources = below === undefined ? '' : `/XObject << /X ${below} 0 R >>`
  return stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 200 200] /Resources << ${resources} >>`)
}

/** A small, valid PDF of one page, which takes hours to render. Operations that do not render it are fast. */
export function endlessPdf(): Uint8Array {
  const first = 5
  const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< ${page} /Resources << /XObject << /X ${first} 0 R >> >> >>`,
    stream('/X Do'),
    ...Array.from({ length: DEPTH }, (_, level) => form(level < DEPTH - 1 ? first + level + 1 : undefined)),
  ]
  let text = '%PDF-1.4\n'
  let table = '0000000000 65535 f \n'
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(`${text}xref\n0 ${size}\n${table}${end}`, 'latin1')
}
