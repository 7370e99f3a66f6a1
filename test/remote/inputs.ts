import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAudio } from '../helpers/av.ts'
import { makeEncryptedPdf, makePdf, noisePng } from '../helpers/pdf.ts'
import { fromSamples, photo, plain } from '../helpers/picture.ts'

const PIPELINES = {
  'web.yaml': 'steps:\n  - image/resize: { width: 50 }\n  - image/convert: { format: webp, quality: 70 }\n',
  'variants.yaml': [
    'steps:',
    '  - image/resize: { width: 60 }',
    'variants:',
    '  - name: full',
    '    steps: [{ image/convert: { format: webp } }]',
    '  - name: thumb',
    '    steps: [{ image/resize: { width: 20 } }]',
    '',
  ].join('\n'),
  'wrong.yaml': 'steps:\n  - image/resise: { width: 50 }\n',
}

/** The inputs of the commands: small ones, and one large enough for a resumable upload. */
export async function makeInputs(folder: string): Promise<void> {
  const put = (name: string, bytes: string | Uint8Array): void => writeFileSync(join(folder, name), bytes)
  put('photo.jpg', await fromSamples(photo(96, 64)).jpeg().toBuffer())
  put('logo.png', await plain(80, 80, '#cc3300').png().toBuffer())
  put('large.png', noisePng(900, 700))
  put('broken.jpg', Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), Buffer.alloc(200, 7)]))
  put('note.txt', 'no picture\n')
  put('table.csv', 'name,size\nred,1\nblue,2\n')
  put('pages.pdf', await makePdf({ pages: 3 }))
  put('locked.pdf', await makeEncryptedPdf('right', 'owner'))
  put('tone.wav', readFileSync(await makeAudio({ seconds: 0.5 })))
  for (const [name, text] of Object.entries(PIPELINES)) put(name, text)
}
