import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compareCells } from '../../../tools/files/query-csv/sort.ts'
import queryCsv from '../../../tools/files/query-csv.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const PEOPLE =
  'name,born,city\nAda,1815,London\nÉmilie,1706,Paris\nGrace,1906,"New York, NY"\nZoe,,Oslo\nAnna,1906,Bern\n'
const CITIES = 'place,country,name\nLondon,GB,Greater London\nParis,FR,Ville de Paris\nBern,CH,Bern\nBern,CH,Berne\n'

async function query(settings: Record<string, unknown>, table = PEOPLE, second?: string): Promise<string[]> {
  const path = join(folder, 'people.csv')
  writeFileSync(path, table)
  const other = join(folder, 'cities.csv')
  if (second !== undefined) writeFileSync(other, second)
  const secondary: Record<string, string> = second === undefined ? {} : { with: other }
  const { paths, names } = await run(queryCsv, folder, [path], settings, { secondary })
  expect(names).toEqual(['people_query.csv'])
  return readFileSync(paths[0]!, 'utf8').trimEnd().split(/\r?\n/)
}

const namesOf = (lines: readonly string[]): string =>
  lines
    .slice(1)
    .map((line) => line.split(',')[0])
    .join(' ')

describe('where', () => {
  test.each([
    [['born>=1906'], 'Grace Anna'],
    [['born > 1815'], 'Grace Anna'],
    [['born<1815'], 'Émilie'],
    [['born<=1815', 'city!=Paris'], 'Ada'],
    [['born=1906.0'], 'Grace Anna'],
    [['born='], 'Zoe'],
    [['born!='], 'Ada Émilie Grace Anna'],
    [['city~o'], 'Ada Grace Zoe'],
    [['city !~ o'], 'Émilie Anna'],
    [['city="New York, NY"'], 'Grace'],
    [['name>F'], 'Grace Zoe'],
    [['born>3000'], ''],
  ])('%j', async (where, expected) => {
    expect(namesOf(await query({ where }))).toBe(expected)
  })

  test('an operator in the value, and a column with spaces', async () => {
    const table = 'full name,note\nAda,a>=b\nBob,c\n'
    expect(namesOf(await query({ where: ['note=a>=b'] }, table))).toBe('Ada')
    expect(namesOf(await query({ where: ['full name = Bob'] }, table))).toBe('Bob')
  })
})

describe('select', () => {
  test('order and names', async () => {
    expect(await query({ select: ['year=born', 'name'], limit: 2 })).toEqual(['year,name', '1815,Ada', '1706,Émilie'])
  })

  test('a column whose name has an equals sign', async () => {
    expect(await query({ select: ['a=b'] }, 'a=b,c\n1,2\n')).toEqual(['a=b', '1'])
  })
})

describe('sort', () => {
  test.each([
    [['born'], 'Émilie Ada Grace Anna Zoe'],
    [['born desc'], 'Grace Anna Ada Émilie Zoe'],
    [['born desc', 'name'], 'Anna Grace Ada Émilie Zoe'],
    [['name'], 'Ada Anna Émilie Grace Zoe'],
    [['name DESC'], 'Zoe Grace Émilie Anna Ada'],
  ])('%j', async (sort, expected) => {
    expect(namesOf(await query({ sort }))).toBe(expected)
  })

  test('with a limit, many rows, and in order of the file where equal', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => `${index},${index % 7}`)
    const lines = await query({ sort: ['rest desc'], limit: 4000 }, `id,rest\n${rows.join('\n')}\n`)
    expect([lines.length, lines[1], lines[2], lines[3573]]).toEqual([4001, '6,6', '13,6', '12,5'])
  })

  test('is consistent for numbers, text and empty cells', () => {
    const cells = ['10', '9', 'a', '', 'B', '1e2', '-3', 'é', ' ']
    expect(cells.toSorted(compareCells)).toEqual(['-3', '9', '10', '1e2', ' ', 'a', 'B', 'é', ''])
  })
})

describe('join', () => {
  test('left keeps rows without a match, and repeats rows with several', async () => {
    expect(await query({ on: 'city=place', select: ['name', 'country', 'name_2'] }, PEOPLE, CITIES)).toEqual([
      ...['name,country,name_2', 'Ada,GB,Greater London', 'Émilie,FR,Ville de Paris', 'Grace,,', 'Zoe,,'],
      ...['Anna,CH,Bern', 'Anna,CH,Berne'],
    ])
  })

  test('inner drops them, and conditions see the joined columns', async () => {
    const settings = { on: 'city=place', join: 'inner', where: ['country!=FR'] }
    expect(namesOf(await query(settings, PEOPLE, CITIES))).toBe('Ada Anna Anna')
  })
})

test('a key with many matches on both sides, and names that are taken', async () => {
  const left = `id,id_2\n${'a,1\n'.repeat(300)}`
  const right = `key,id,id_2\n${'a,2,3\n'.repeat(300)}`
  const lines = await query({ on: 'id=key' }, left, right)
  expect([lines.length, lines[0], lines[1]]).toEqual([90_001, 'id,id_2,id_3,id_2_2', 'a,1,2,3'])
})

describe('formats', () => {
  test('the delimiter of the table is kept, and of TSV', async () => {
    expect(await query({ where: ['b>1'] }, 'a;b\nx;1\ny;2\n')).toEqual(['a;b', 'y;2'])
    const path = join(folder, 'table.tsv')
    writeFileSync(path, 'a\tb\nx\t1\n')
    const { names, paths } = await run(queryCsv, folder, [path], { select: ['b'] })
    expect([names, readFileSync(paths[0]!, 'utf8').trim()]).toEqual([['table_query.tsv'], 'b\n1'.replace('\n', '\r\n')])
  })

  test('a table of a header alone', async () => {
    expect(await query({ where: ['b=1'], sort: ['a'] }, 'a,b\n')).toEqual(['a,b'])
  })
})

describe('errors', () => {
  test.each([
    [{ where: ['brn>1900'] }, 'Did you mean "born"?'],
    [{ where: ['nothing'] }, 'born>=1900'],
    [{ where: ['>5'] }, 'born>=1900'],
    [{ select: ['nme'] }, 'Did you mean "name"?'],
    [{ sort: ['year'] }, 'Its columns: name, born, city'],
    [{ on: 'city' }, '--with'],
  ])('%j', async (settings, hint) => {
    await expect(query(settings)).rejects.toMatchObject({
      ...{ code: 'INVALID_SETTINGS' },
      hint: expect.stringContaining(hint),
    })
  })

  test('a second table without the column', async () => {
    await expect(query({ on: 'city=town' }, PEOPLE, CITIES)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    await expect(query({}, PEOPLE, CITIES)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})
