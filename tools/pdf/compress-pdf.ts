import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { suffixedName } from '../../src/media/naming.ts'
import { openPdfFile, type PdfHandle } from '../../src/media/pdf/document.ts'
import type { EncryptionSource } from '../../src/media/pdf/handle.ts'
import { itemsOf } from '../../src/media/pdf/trees.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice, integer, number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { recompress, searchRecompress } from './_shared/recompress.ts'

export default tool({
  section: 'pdf',
  id: 'compress-pdf',
  summary: 'Shrink a PDF by re-encoding its images, by quality or target size',
  input: oneFile('pdf'),
  settings: {
    mode: choice(['quality', 'targetSize'], 'what decides the size', { default: 'quality' }),
    quality: integer('100 is best; below 50 images also get fewer dots per inch', {
      default: 75,
      min: 1,
      max: 100,
      filledByTool: true,
    }),
    targetSizeKb: number('largest size of the result, with mode targetSize; 1 kB = 1000 bytes', {
      exclusiveMin: 0,
      unit: 'kB',
    }),
    preset: choice(['screen', 'ebook', 'printer'], 'quality by a name of old: 25, 50 or 90', {
      deprecated: 'use quality',
    }),
  },
  output: { kind: 'file+report', format: 'pdf' },
  engines: ['ghostscript'],
  timeoutS: 300,
  heavy: true,
  examples: [
    { title: 'for mail', settings: { quality: 50 } },
    { title: 'at most 100 kB', settings: { mode: 'targetSize', targetSizeKb: 100 } },
  ],
  check({ mode, targetSizeKb }) {
    if (mode === 'targetSize' && targetSizeKb === undefined)
      throw invalidSettings(
        'Expected targetSizeKb for mode targetSize, got nothing',
        'For example: --target-size-kb 500',
      )
  },
  async run(job, { mode, quality, preset, targetSizeKb }) {
    const file = job.inputs[0]!
    // The input gate: what cannot be opened is refused with its reason before Ghostscript sees it.
    const document = await openPdfFile(file)
    document.target.compress = true
    // Ghostscript writes plain files; restrictions that the owner's password lifts must not go with it.
    const { lossless, encryption, hasForm } = await savedWhole(document)
    const source = await readFile(file.path)
    const name = suffixedName(file, 'compressed', 'pdf')
    const path = await job.output(name)
    const wanted = quality ?? (preset ? { screen: 25, ebook: 50, printer: 90 }[preset] : 75)
    const options = { signal: job.signal, encryption }
    const budget = mode === 'targetSize' ? Math.floor(targetSizeKb! * 1000) : undefined
    const candidates =
      budget === undefined
        ? [await recompress(source, wanted, options), lossless]
        : [
            lossless,
            ...(lossless.length <= budget
              ? []
              : [
                  await searchRecompress(source, budget, {
                    ...options,
                    onProgress: (fraction) => job.progress(fraction, 'searching'),
                  }),
                ]),
          ]
    const best = candidates.reduce((least, candidate) => (candidate.length < least.length ? candidate : least))
    const keeps = best.length >= source.length
    if (hasForm && !keeps && best !== lossless)
      job.warn('Form fields became plain print: encoding the images again does not keep them')
    if (keeps) await copyFile(file.path, path)
    else await writeFile(path, best)
    const size = keeps ? source.length : best.length
    const report = {
      ...(budget !== undefined && { targetKb: targetSizeKb, targetMet: size <= budget }),
      // Encoding again would have made it larger: the input's own bytes were given back.
      ...(keeps && { kept: true }),
    }
    return { files: [{ path, name, mime: 'application/pdf' }], ...(Object.keys(report).length > 0 && { report }) }
  },
})

/** The document saved without loss, what its encryption is copied from, and whether it has fields to fill in. */
async function savedWhole(
  document: PdfHandle,
): Promise<{ lossless: Uint8Array; encryption: EncryptionSource | undefined; hasForm: boolean }> {
  try {
    const hasForm = itemsOf(document.pdf.getTrailer().get('Root', 'AcroForm', 'Fields')).length > 0
    return { lossless: await document.save(), encryption: document.encryptionSource(), hasForm }
  } finally {
    document.close()
  }
}
