// Inputs of the document and table benchmark, recreated on every run.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import sharp from 'sharp'
import { landscape } from '../dist/src/generate/assets/sample-drawings.js'

/** A report: forty lines on each page, and a different photograph on some pages. */
export async function makeReport(path, { pages, photos = 0 }) {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([595, 842])
    if (number <= photos)
      page.drawImage(await document.embedJpg(await photograph(number)), { x: 50, y: 50, width: 495 })
    for (let line = 0; line < 40; line += 1)
      page.drawText(`Page ${number}, line ${line}: words that are here to be read`, {
        x: 50,
        y: 800 - line * 18,
        size: 11,
        font,
      })
  }
  await writeFile(path, await document.save())
}

/** 2.2 megapixels with grain, different for every number. */
async function photograph(number) {
  const drawn = sharp(Buffer.from(landscape(1800, 1200))).modulate({ hue: number * 36 })
  const grain = {
    create: { width: 1800, height: 1200, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 12 } },
  }
  const noise = await sharp(grain).png({ compressionLevel: 1 }).toBuffer()
  return drawn
    .composite([{ input: noise, blend: 'soft-light' }])
    .jpeg({ quality: 95 })
    .toBuffer()
}

/** People, eight cells per row: numbers, quoted text, letters beyond ASCII. */
export async function makeTable(path, rows) {
  const notes = ['alpha', '"beta, gamma"', 'Größe', '"say ""hi"""', '日本', 'lorem ipsum dolor']
  const out = createWriteStream(path)
  let text = 'id,name,email,amount,date,city,note,flag\r\n'
  for (let id = 1; id <= rows; id += 1) {
    const day = String((id % 28) + 1).padStart(2, '0')
    text += `${id},Person ${id},person${id}@example.com,${(id * 7919) % 100000}.5,2024-01-${day},City ${id % 500},${notes[id % 6]},${id % 2 === 0}\r\n`
    if (text.length < 1 << 18) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text)
  await once(out, 'close')
}
