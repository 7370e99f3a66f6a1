import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { crc32 } from '../../src/media/crc32.ts'

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('')

/** A PNG that declares the given number of pixels; it contains fewer. */
export function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const rows = deflateSync(Buffer.alloc(20_000_000))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

/** An SVG with a body, and a prologue before it. */
export const svgOf = (body: string, head = '', size = 'width="100" height="100"'): Buffer =>
  Buffer.from(
    `${head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${body}</svg>`,
  )

/** Twelve levels of groups, each of which uses the previous one ten times. */
export const uses = many(12, (level) => {
  const inner = level === 0 ? '<rect width="1" height="1"/>' : `<use xlink:href="#a${level - 1}"/>`.repeat(10)
  return `<g id="a${level}">${inner}</g>`
})
/** Ten entities, each of which contains the previous one ten times. */
export const entities = many(9, (level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`)

/** A PDF with these entries in its list of pages; object 3 is a page, whose content is object 4. */
export function pdfOf(pages: string, ...more: string[]): Buffer {
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>'
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages ${pages} >>`, page, ...more]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((body, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${body}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n`
  return Buffer.from(`${text}<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`, 'latin1')
}

/** Zeros as zlib packs them, `times` times `count`: the same block repeated, so that it is packed once. */
function deflatedZeros(count: number, times: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(count), { finishFlush: constants.Z_FULL_FLUSH })
  // Adler-32 of zeros: one sum stays 1, the other counts them.
  const end = Buffer.from([3, 0, 0, 0, 0, 1])
  end.writeUInt16BE((count * times) % 65_521, 2)
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: times }, () => block), end])
}

/** A page whose content is a gigabyte of zeros, in one megabyte. */
export function flatePdf(): Buffer {
  const packed = deflatedZeros(10_000_000, 100).toString('latin1')
  const content = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`
  return pdfOf('/Kids [3 0 R] /Count 1', content)
}

/** An animation of 1000 x 1000 pixels with 23 bytes per frame. */
export function gifOf(frames: number): Buffer {
  const size = [0xe8, 3, 0xe8, 3]
  const frame = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, ...size, 0, 2, 2, 0x4c, 1, 0])
  const head = Buffer.from([...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
  return Buffer.concat([
    Buffer.from('GIF89a'),
    head,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ])
}
