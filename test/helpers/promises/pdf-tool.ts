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

/** What every PDF tool promises of the documents that it writes. */
export type PdfPromise = 'pages' | 'shape' | 'outline' | 'form' | 'encrypted'

export interface PdfToolOptions extends TrialOptions {
  /** Promises that the tool does not make, each with its reason; one that it does make in truth fails, too. */
  except?: Partial<Record<PdfPromise, string>>
  /** Kinds of damage that it takes, with the reason. */
  takes?: Readonly<Record<string, string>>
  /** With which its outputs are opened. */
  password?: string
  /** The password of the documents that it is given. */
  lock?: string
}

const PAGES = 3

/** A document of the promises, with a password where the tool wants one. */
const documentFor = (name: string, options: MakePdfOptions, lock?: string): Promise<string> =>
  sharedSample(['pdf', name, options, lock], `${name}.pdf`, async (path) =>
    writeFile(path, lock === undefined ? await makePdf(options) : await makeEncryptedPdf(lock, 'owner', options)),
  )

/** What a person sees of a document: the size of each page as it is shown, bookmarks, values of fields. */
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
 * The promises that every tool of the PDF section makes: turned and cropped pages, bookmarks and forms come through, what
 * is written is sound in qpdf's eyes, locked documents are refused by name; settings, names, bad files and stops as for
 * every tool.
 */
export function describePdfTool(tool: Tool, options: PdfToolOptions = {}): void {
  describe(`${tool.section}/${tool.id}`, () => {
    const folder = temporaryFolder()
    const trial = trialOf(tool, folder, options)
    const document = (name: string, own: MakePdfOptions = {}) =>
      documentFor(name, { pages: PAGES, ...own }, options.lock)
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

    test('a locked document without its password is refused', async () => {
      const code = await trial.refusal(await documentFor('secret', { pages: PAGES }, 'another'))
      expect(['PASSWORD_PROTECTED', 'WRONG_PASSWORD']).toContain(code)
    })
    if (!typeFacts(tool.output.type).some((fact) => 'same' in fact || ('is' in fact && fact.is === 'pdf'))) return
    const written = async ({ paths }: Outcome) =>
      Promise.all(paths.map(async (path) => readPdf(path, options.password)))

    promised('pages', 'every page comes through', async () => {
      const all = await written(await trial.run(await input()))
      expect(all.reduce((sum, { pages }) => sum + pages.length, 0)).toBe(PAGES * copies)
    })
    promised('shape', 'turned and cropped pages are shown as before', async () => {
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
    promised('outline', 'bookmarks come through', async () => {
      const marked = await document('marked', {
        outline: [
          { title: 'A', page: 1 },
          { title: 'B', page: 3 },
        ],
      })
      for (const { titles } of await written(await trial.run(marked)))
        expect(titles).toEqual(expect.arrayContaining(['A', 'B']))
    })
    promised('form', 'the fields of a form come through with their values', async () => {
      const form = await document('form', { formField: { name: 'who', value: 'Ada' } })
      for (const { fields } of await written(await trial.run(form))) expect(fields).toContain('Ada')
    })
    test('what is written is sound', async () => {
      for (const path of (await trial.run(await input())).paths)
        expect(await complaints(await readFile(path), options.password)).toEqual([])
    })
  })
}
