/** Equations of office documents, which LibreOffice loses where its component Math is not installed. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { libreoffice } from '../../../src/engines/libreoffice/libreoffice.ts'
import { openDocument, sampleLetter } from '../../../src/generate/assets/sample-office.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { extractPageTexts } from '../../../src/media/pdf/structure/text.ts'
import wordToPdf from '../../../tools/files/word-to-pdf.ts'
import { rawPdf } from '../../helpers/raw-pdf.ts'
import { rawZip } from '../../helpers/raw-zip.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
afterEach(() => vi.unstubAllEnvs())

function written(name: string, content: Uint8Array | string): string {
  const path = join(mkdtempSync(join(folder, 'in-')), name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const equation = '<m:oMathPara><m:oMath><m:r><m:t>EQUATION</m:t></m:r></m:oMath></m:oMathPara>'
const docx = (paragraph: string): Buffer =>
  rawZip([
    {
      name: '[Content_Types].xml',
      data: `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      data: `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/document.xml',
      data: `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="${OFFICE}/math"><w:body><w:p><w:r><w:t>before</w:t></w:r></w:p><w:p>${paragraph}</w:p></w:body></w:document>`,
    },
  ])

/** A text with a formula object and its replacement picture for readers without a formula editor. */
const odt = async (hasPicture: boolean): Promise<Uint8Array> => {
  const picture = '<draw:image xlink:href="./ObjectReplacements/Object 1"/>'
  const parts = {
    'Object 1/content.xml':
      '<?xml version="1.0"?><math xmlns="http://www.w3.org/1998/Math/MathML"><mi>EQUATION</mi></math>',
    ...(hasPicture && {
      'ObjectReplacements/Object 1': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    }),
    'META-INF/manifest.xml': `<?xml version="1.0"?><m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry m:full-path="/" m:media-type="application/vnd.oasis.opendocument.text"/><m:file-entry m:full-path="Object 1/" m:media-type="application/vnd.oasis.opendocument.formula"/></m:manifest>`,
  }
  return openDocument(
    'text',
    `<text:p>a<draw:frame svg:width="2cm" svg:height="1cm"><draw:object xlink:href="./Object 1"/>${hasPicture ? picture : ''}</draw:frame></text:p>`,
    { parts },
  )
}

/** Replaces LibreOffice by a program that writes a PDF of one page for any input. */
function installed(components: readonly string[]): void {
  const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'
  const pdf = written('page.pdf', rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R >>', 2: pages, 3: page }))
  // The arguments end with: --outdir, the folder, the document.
  const script = `#!/bin/sh\nif [ $# -lt 3 ]; then echo LibreOffice 7.4.7; exit; fi\nwhile [ $# -gt 2 ]; do shift; done\ncp "${pdf}" "$1/out.pdf"\n`
  const program = written('program/soffice', script)
  chmodSync(program, 0o755)
  const registry = join(dirname(dirname(program)), 'share', 'registry')
  mkdirSync(registry, { recursive: true })
  for (const component of components) writeFileSync(join(registry, `${component}.xcd`), '')
  vi.stubEnv('MEDIAPROC_LIBREOFFICE', program)
}

const warningsOf = async (name: string, content: Uint8Array): Promise<string[]> =>
  (await run(wordToPdf, folder, [written(name, content)])).warnings
const MISSING = /^e\.(docx|odt) holds equations, which are missing in the PDF.*apt-get install libreoffice-math-nogui$/

describe('without Math', () => {
  test('a document with equations causes a warning with the install command, others none', async () => {
    installed(['main', 'writer'])
    expect(await warningsOf('e.docx', docx(equation))).toEqual([expect.stringMatching(MISSING)])
    expect(await warningsOf('e.odt', await odt(false))).toEqual([expect.stringMatching(MISSING)])
    expect(await warningsOf('picture.odt', await odt(true))).toEqual([])
    expect(await warningsOf('plain.docx', docx('<w:r><w:t>oMath</w:t></w:r>'))).toEqual([])
    expect(await warningsOf('plain.odt', await sampleLetter())).toEqual([])
  })

  test('doctor names it', async () => {
    installed(['main', 'writer'])
    expect(await libreoffice.probe()).toMatchObject({
      available: true,
      warning: expect.stringMatching(/component Math is not installed.*libreoffice-math-nogui/),
    })
  })
})

test.each([
  ['with Math', ['main', 'writer', 'math']],
  ['of an unknown layout', []],
])('an installation %s causes no warning', async (_which, components) => {
  installed(components)
  expect(await warningsOf('e.docx', docx(equation))).toEqual([])
  expect(await libreoffice.probe()).not.toHaveProperty('warning')
})

test.skipIf(!(await libreoffice.probe()).available)(
  'an equation is in the PDF, or a warning says that it is not',
  async () => {
    const { paths, warnings } = await run(wordToPdf, folder, [written('e.docx', docx(equation))])
    const document = await openPdf(paths[0]!)
    const text = extractPageTexts(document).join()
    document.close()
    expect(text).toContain('before')
    expect(warnings.length > 0).toBe(!text.replace(/\s/g, '').includes('EQUATION'))
  },
)
