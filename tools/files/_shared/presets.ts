import { type PresetRow, preset } from '../../../src/tool/preset.ts'

/** One row for every preset of this section whose base tool is here. */
export const presets: readonly PresetRow[] = [
  preset('files', 'convert-spreadsheet', 'excel-to-csv', ['xlsx', 'xls'], 'csv', { format: 'csv' }),
]
