import { constants, copyFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { zip } from '../../../src/lists.ts'
import type { OutputFile } from '../../../src/tool/contract.ts'
import { tool } from '../../../src/tool/contract.ts'
import { integer, text } from '../../../src/tool/settings.ts'
import { renamed } from './bulk-rename/rename.ts'

export default tool({
  section: 'image',
  id: 'bulk-rename',
  summary: 'Copy files under new names generated from a pattern',
  input: { files: 'many', min: 1, max: 10_000, accept: ['*'] },
  settings: {
    pattern: text('the new name with {n}, {date}, {original}, {{index}}, {{padded}} or {{original}} in it', {
      default: 'image-{{index}}',
      minLength: 1,
      maxLength: 1000,
    }),
    startIndex: integer('the number of the first file', { default: 1, min: 0 }),
    padding: integer('minimum number of digits of {n}', { default: 0, min: 0, max: 10 }),
  },
  output: { kind: 'files', type: { same: true }, set: 'renamed', archive: 'renamed', direct: true },
  // The placeholder {date} is the current date.
  deterministic: false,
  examples: [
    {
      title: 'numbers of three digits',
      inputs: ['photo.jpg', 'holiday.jpg'],
      settings: { pattern: 'holiday-{n}', padding: 3 },
    },
    {
      title: 'a number before each name',
      inputs: ['photo.jpg', 'logo.svg'],
      settings: { pattern: '{{padded}} {original}' },
    },
  ],
  async run(job, { pattern, startIndex, padding }) {
    const given = job.inputs.map(({ name }) => basename(name))
    const names = renamed(given, { pattern, startIndex, padding, now: new Date() })
    const files: OutputFile[] = []
    for (const [index, [file, name]] of zip(job.inputs, names).entries()) {
      job.signal.throwIfAborted()
      job.progress(index / names.length, 'copying')
      const path = await job.output(name)
      // Uses a reflink if the file system supports it.
      await copyFile(file.path, path, constants.COPYFILE_FICLONE)
      files.push({ path, name, mime: file.type.mime })
    }
    return { files, set: 'renamed' }
  },
})
