import { setName, suffixedName } from '../../../src/media/naming.ts'
import { openPdfFile, type PdfHandle } from '../../../src/media/pdf/document.ts'
import { fillForm } from '../../../src/media/pdf/form/fill.ts'
import { flattenDocument } from '../../../src/media/pdf/page/flatten.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { boolean, text } from '../../../src/tool/settings.ts'
import { invalidSettings, nearest } from '../../../src/tool/validate.ts'
import { readValues, readValuesFile } from './fill-form/read-values.ts'

export default pdfTool({
  id: 'fill-form',
  summary: 'Fill in the fields of a PDF form, from values, JSON, YAML or each row of CSV',
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['pdf'],
    secondary: {
      data: {
        required: false,
        what: 'JSON or YAML with names and values, or CSV with one document for each row',
        accept: ['json', 'yaml', 'csv', 'tsv', 'txt'],
      },
    },
  },
  settings: {
    values: text('names and values as JSON or YAML; they replace those of the data', {
      maxLength: 100_000,
      secret: true,
      example: '{"name": "Ada Lovelace", "agree": true}',
    }),
    flatten: boolean('make the fields part of the page, so that nobody can change them', { default: false }),
    readOnly: boolean('fill fields that readers do not allow to change, too', { default: false }),
  },
  output: { kind: 'files', type: { is: 'pdf' } },
  batch: true,
  timeoutS: 600,
  examples: [
    {
      title: 'one document',
      inputs: ['form.pdf'],
      settings: { values: '{"name": "Ada Lovelace", "course": "Advanced", "newsletter": true}' },
    },
    { title: 'a document for each row of a table', inputs: ['form.pdf'], secondary: { data: 'registrations.csv' } },
  ],
  check({ values }) {
    if (values !== undefined) readValues(values)
  },
  async produce([document], { values, flatten, readOnly }, { files: [file], secondary, warn, progress }) {
    if (values === undefined && !secondary.data) throw invalidSettings('Expected values, or data with them')
    const own = values === undefined ? [] : [...readValues(values)]
    const sets = secondary.data ? await readValuesFile(secondary.data, warn) : [new Map()]
    const width = String(sets.length).length
    async function* filled(): AsyncGenerator<{ name: string; document: PdfHandle }> {
      for (const [index, set] of sets.entries()) {
        const one = index === 0 ? document : await openPdfFile(file)
        const label = sets.length > 1 ? `row ${index + 1}: ` : ''
        for (const message of await fillForm(one, new Map([...set, ...own]), nearest, { readOnly }))
          warn(label + message)
        if (flatten) flattenDocument(one)
        const number = sets.length > 1 ? `-${String(index + 1).padStart(width, '0')}` : ''
        progress((index + 1) / sets.length, 'filling')
        yield { name: suffixedName(file, `filled${number}`, 'pdf'), document: one }
      }
    }
    return { documents: filled(), ...(sets.length > 1 && { set: setName(file, 'filled') }) }
  },
})
