/** A stream object with these entries (without /Length). */
export function stream(content: string, entries = ''): string {
  return `<< /Length ${Buffer.byteLength(content, 'latin1')} ${entries} >>\nstream\n${content}\nendstream`
}

/** A PDF of these objects by number, byte for byte as given, with a cross-reference table; object 1 is the catalog. */
export function rawPdf(objects: Readonly<Record<number, string>>, trailer = ''): Uint8Array {
  const numbers = Object.keys(objects).map(Number)
  const size = Math.max(...numbers) + 1
  const offsets = new Map<number, number>()
  let text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'
  for (const number of numbers) {
    offsets.set(number, text.length)
    text += `${number} 0 obj\n${objects[number]}\nendobj\n`
  }
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number)
    return offset === undefined
      ? `0000000000 ${number === 0 ? '65535' : '00000'} f \n`
      : `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, 'latin1')
}

/** Helvetica, available in every reader. */
export const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'

/** Content that writes a line at the upper left of a page of 300 x 200 points. */
export const line = (text: string): string => `BT /F1 24 Tf 20 150 Td (${text}) Tj ET`
