import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { loadMupdf } from '../../../src/engines/mupdf.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import { typeFacts } from '../../../src/tool/output-type.ts'
import { complaints, type MakePdfOptions, makeEncryptedPdf, makePdf } from '../pdf.ts'
import { sharedSample } from '../shared-samples.ts'
import { type Outcome, temporaryFolder } from '../tool.ts'
import { describeEveryTool } from './every-tool.ts'
import { describeSettings } from './settings.ts'
import { type TrialOptions, trialOf } from './trial.ts'

/** What every PDF tool guarantees for its documents. */
export type PdfPromise = 'pages' | 'shape' | 'outline' | 'form' | 'encrypted'

export interface PdfToolOptions extends TrialOptions {
  /** Guarantees that the tool does not give, each with its reason; one that it does give fails, too. */
  except?: Partial<Record<PdfPromise, string>>
  /** Kinds of damage that it accepts, with the reason. */
  takes?: Readonly<Record<string, string>>
  /** Password for opening its outputs. */
  password?: string
  /** Password of its input documents. */
  lock?: string
  /** What its input documents have, such as a form. */
  document?: MakePdfOptions
}

const PAGES = 3

/** A document of the tests, with a password if the tool requires one. */
const documentFor = (name: string, options: MakePdfOptions, lock?: string): Promise<string> =>
  sharedSample(['pdf', name, options, lock], `${name}.pdf`, async (path) =>
    writeFile(path, lock === undefined ? await makePdf(options) : await makeEncryptedPdf(lock, 'owner', options)),
  )

/** What a user sees of a document: the size of each page as displayed, bookmarks, field values. */
async function readPdf(path: string, password?: string) {
  const mupdf = await loadMupdf()
  const pdf = new mupdf.PDFDocument(await readFile(path))
  try {
    if (password !== undefined) pdf.authenticatePassword(password)
    const pages = Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index))
    return {
      pages: pages.map((page) => page.getBounds().map(Math.round)),
      titles: (pdf.loadOutline() ?? []).map(({ title }) => title),
      fields: pages.flatMap((page) => page.getWidgets().map((widget) => widget.getValue())),
    }
  } finally {
    pdf.destroy()
  }
}

/**
 * The guarantees of every tool of the PDF section: keeps rotated and cropped pages, bookmarks and forms, writes files
 * that qpdf accepts, refuses locked documents by name; settings, names, invalid files and aborts as for
 * every tool.
 */
export function describePdfTool(tool: Tool, options: PdfToolOptions = {}): void {
  describe(`${tool.section}/${tool.id}`, () => {
    const folder = temporaryFolder()
    const trial = trialOf(tool, folder, options)
    const document = (name: string, own: MakePdfOptions = {}) =>
      documentFor(name, { pages: PAGES, ...options.document, ...own }, options.lock)
    const input = () => document('report')
    describeSettings(
      () => trial,
      tool.settings,
      async () => [await input()],
    )
    describeEveryTool(() => trial, folder, {
      input,
      except: options.takes,
      damaged: {
        'an empty file': () => Buffer.alloc(0),
        'a text under its name': () => Buffer.from('only text\n'.repeat(30)),
        'the first half of a file': (good) => good.subarray(0, Math.floor(good.length / 2)),
      },
    })

    const promised = (name: PdfPromise, title: string, holds: () => Promise<void>): void => {
      const reason = options.except?.[name]
      if (reason === undefined) test(title, holds)
      else test(`not: ${title} (${reason})`, async () => expect(holds()).rejects.toThrow())
    }
    const copies = tool.input.min > 1 ? tool.input.min : 1

    test('refuses a locked document without its password', async () => {
      const code = await trial.refusal(await documentFor('secret', { pages: PAGES }, 'another'))
      expect(['PASSWORD_PROTECTED', 'WRONG_PASSWORD']).toContain(code)
    })
    if (!typeFacts(tool.output.type).some((fact) => 'same' in fact || ('is' in fact && fact.is === 'pdf'))) return
    const written = async ({ paths }: Outcome) =>
      Promise.all(paths.map(async (path) => readPdf(path, options.password)))

    promised('pages', 'keeps every page', async () => {
      const all = await written(await trial.run(await input()))
      expect(all.reduce((sum, { pages }) => sum + pages.length, 0)).toBe(PAGES * copies)
    })
    promised('shape', 'rotated and cropped pages look the same', async () => {
      const odd = await document('turned', {
        rotations: [90, 0, 270],
        cropBoxes: [
          [10, 20, 150, 250],
          [0, 0, 200, 300],
          [5, 5, 100, 100],
        ],
      })
      const before = (await readPdf(odd, options.lock)).pages
      const after = (await written(await trial.run(odd))).flatMap(({ pages }) => pages)
      expect(after).toEqual(Array.from({ length: copies }, () => before).flat())
    })
    promised('outline', 'keeps bookmarks', async () => {
      const marked = await document('marked', {
        outline: [
          { title: 'A', page: 1 },
          { title: 'B', page: 3 },
        ],
      })
      for (const { titles } of await written(await trial.run(marked)))
        expect(titles).toEqual(expect.arrayContaining(['A', 'B']))
    })
    promised('form', 'keeps the fields of a form with their values', async () => {
      const form = await document('form', { formField: { name: 'who', value: 'Ada' } })
      for (const { fields } of await written(await trial.run(form))) expect(fields).toContain('Ada')
    })
    test('writes valid files', async () => {
      for (const path of (await trial.run(await input())).paths)
        expect(await complaints(await readFile(path), options.password)).toEqual([])
    })
  })
}
