import { expect, test } from 'vitest'
import { settingsTypes } from '../../../src/generate/docs/settings-types.ts'
import type { CatalogueEntry } from '../../../src/tool/catalogue.ts'
import { boolean, choice, color, group, list, number, text } from '../../../src/tool/settings.ts'

test('the type of a settings table has names, words, units, required and deprecated settings', () => {
  const settings = {
    mode: choice(['a', 'b'], 'which', { valueAliases: { c: 'a' } }),
    size: number('how large', { unit: 'px' }),
    ratio: number('how much', { required: true }),
    loud: boolean('whether */ or not'),
    tint: color('which colour', { deprecated: 'use ratio' }),
    parts: list(group({ name: text("it's name", { required: true }) }, 'one'), 'all'),
    texts: text('words', { listed: true }),
  }
  const entry = { section: 'image', id: 'one', summary: 'Do it', settings, actions: [] } as unknown as CatalogueEntry
  const none = { ...entry, id: 'two', settings: {} }
  expect(settingsTypes([entry, none])).toBe(`// Generated from the tools' tables by npm run build.

/** The settings of every tool, preset and action, by its name. */
export interface ToolSettings {
  /** Do it */
  'image/one': {
    /** which */
    mode?: 'a' | 'b' | 'c'
    /** how large */
    size?: number | \`\${number}\${string}\`
    /** how much */
    ratio: number
    /** whether *\\/ or not */
    loud?: boolean
    /** @deprecated use ratio */
    tint?: string
    /** all */
    parts?: readonly ({
      /** it's name */
      name: string
    })[]
    /** words */
    texts?: string | readonly (string | number)[]
  }
  /** Do it */
  'image/two': Record<string, never>
}
`)
})
