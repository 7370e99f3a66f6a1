import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import barcode from '../../../tools/image/codes/barcode-generate.ts'
import barcodeRead from '../../../tools/image/codes/barcode-read.ts'
import { CORNER_STYLES, DOT_STYLES } from '../../../tools/image/codes/qr-generate/drawing.ts'
import qr from '../../../tools/image/codes/qr-generate.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The result of an independent reader (Debian's zbar-tools) for a picture. */
const read = (path: string): string => spawnSync('zbarimg', ['-q', '--raw', path], { encoding: 'utf8' }).stdout.trim()
const hasReader = spawnSync('zbarimg', ['--version']).status === 0

describe.skipIf(!hasReader)('zbarimg reads', () => {
  test.each(DOT_STYLES.flatMap((dotStyle) => CORNER_STYLES.map((cornerStyle) => ({ dotStyle, cornerStyle }))))(
    'a QR code of $dotStyle dots and $cornerStyle corners, with a logo',
    async (style) => {
      const logo = join(folder, 'logo.svg')
      writeFileSync(
        logo,
        '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30" fill="#c00"/></svg>',
      )
      const data = `https://example.com/${style.dotStyle}/${style.cornerStyle}`
      const { paths } = await run(qr, folder, [], { data, ...style }, { secondary: { logo } })
      expect(read(paths[0]!)).toBe(data)
    },
  )

  test.each(['L', 'M', 'Q', 'H'])('a QR code with dot corners, of level %s', async (errorCorrectionLevel) => {
    for (const data of ['hi', 'https://example.com/a-longer-address?with=parameters&and=more'])
      for (const size of [400, 1000]) {
        const settings = { data, size, errorCorrectionLevel, cornerStyle: 'dot' }
        expect(read((await run(qr, folder, [], settings)).paths[0]!), `${data} ${size}`).toBe(data)
      }
  })

  test.each([
    ['code128', 'PARCEL-2026', 'PARCEL-2026'],
    ['ean13', '590123412345', '5901234123457'],
    ['upca', '03600029145', '0036000291452'],
    ['code39', 'ABC-12', 'ABC-12'],
    ['itf14', '1234567890123', '12345678901231'],
  ])('a barcode of type %s', async (type, text, said) => {
    const { paths } = await run(barcode, folder, [], { type, text })
    expect(read(paths[0]!)).toBe(said)
  })
})

test('a Code 128 encodes Latin-1 letters', async () => {
  const { paths } = await run(barcode, folder, [], { text: 'Grüße 42' })
  const { report } = await run(barcodeRead, folder, paths)
  expect(report.barcodes).toMatchObject([{ type: 'Code128', text: 'Grüße 42' }])
})

test('a Code 128 cannot encode others, and names those that it can', async () => {
  await expect(run(barcode, folder, [], { text: 'Größe 日本' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringContaining('日'),
    hint: expect.stringContaining('datamatrix'),
  })
  const { paths } = await run(barcode, folder, [], { text: 'Größe 日本', type: 'datamatrix', scale: 4 })
  expect((await run(barcodeRead, folder, paths)).report.barcodes).toMatchObject([{ text: 'Größe 日本' }])
})
