import { BARCODE_TYPES, drawBarcode } from '../../../src/engines/pictures/bwip.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, integer, text } from '../../../src/tool/settings.ts'
import { openCodeReader } from '../_shared/codes/read-back.ts'
import { checkBars } from './barcode-generate/check-bars.ts'
import { barcodeText } from './barcode-generate/check-digit.ts'

/** A Data Matrix has no room for text. */
const LINEAR_TYPES = BARCODE_TYPES.filter((type) => type !== 'datamatrix')

export default imageTool({
  id: 'barcode-generate',
  summary: 'Draw a barcode from text',
  body: 'json',
  input: { files: 'none', min: 0, max: 0, accept: [] },
  settings: {
    text: text('content of the code', { required: true, minLength: 1, maxLength: 256, example: 'PARCEL-2026-0042' }),
    type: choice(BARCODE_TYPES, 'the symbology', { default: 'code128' }),
    scale: integer('width of the narrowest bar', { default: 3, min: 1, max: 8, unit: 'px', label: 'Bar width' }),
    includeText: boolean('print the text below the bars', { default: true, when: { type: LINEAR_TYPES } }),
  },
  output: { kind: 'file', type: { is: 'png' }, name: 'barcode' },
  engines: ['bwip-js', 'zxing'],
  batch: false,
  examples: [
    { title: 'a parcel number', settings: { text: 'PARCEL-2026-0042' } },
    { title: 'a product, its check digit computed', settings: { text: '590123412345', type: 'ean13' } },
    { title: 'a small square code', settings: { text: 'SN 4711', type: 'datamatrix', scale: 6 } },
  ],
  check({ text: given, type }) {
    barcodeText(type, given)
  },
  async produce(_none, { text: given, type, scale, includeText }, { signal, warn }) {
    const name = 'barcode.png'
    const encoded = barcodeText(type, given)
    const reader = openCodeReader(signal)
    try {
      const drawn = Buffer.from(await drawBarcode(encoded, { type, scale, includeText }))
      for (const risk of await checkBars(reader, drawn, { text: encoded, type, scale })) warn(risk)
      return { name, frame: await ImageFrame.fromPng(drawn, name) }
    } finally {
      await reader.close()
    }
  },
})
