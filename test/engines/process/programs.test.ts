import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProgram, packagedProgram } from '../../../src/engines/process/programs.ts'

const environment = 'MEDIAPROC_DCRAW'
const saved = { path: process.env.PATH, named: process.env[environment] }
let folder: string
let otherFolder: string

function program(name: string, mode = 0o755): string {
  const path = join(folder, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, mode)
  return path
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediaproc-programs-'))
  otherFolder = mkdtempSync(join(tmpdir(), 'mediaproc-programs-'))
  process.env.PATH = folder
  delete process.env[environment]
})

afterEach(() => {
  for (const path of [folder, otherFolder]) rmSync(path, { recursive: true, force: true })
  process.env.PATH = saved.path
  if (saved.named === undefined) delete process.env[environment]
  else process.env[environment] = saved.named
})

describe('order', () => {
  test('environment, package, PATH, fallback package', async () => {
    const [named, packaged, inPath, fallback] = ['named', 'packaged', 'tester', 'fallback'].map((name) => program(name))
    const search = { environment, names: ['tester'] } as const
    const fromPackage = async () => packaged
    const fallbackPackage = async () => fallback

    process.env[environment] = named
    expect(await findProgram({ ...search, fromPackage, fallbackPackage })).toEqual({
      path: named,
      source: 'environment',
      fallback: false,
    })
    process.env[environment] = ''
    expect(await findProgram({ ...search, fromPackage, fallbackPackage })).toEqual({
      path: packaged,
      source: 'package',
      fallback: false,
    })
    process.env.PATH = `${folder}:/nowhere`
    expect(await findProgram({ ...search, fromPackage: async () => undefined, fallbackPackage })).toEqual({
      path: inPath,
      source: 'path',
      fallback: false,
    })
    process.env.PATH = '/nowhere'
    expect(await findProgram({ ...search, fallbackPackage })).toEqual({
      path: fallback,
      source: 'package',
      fallback: true,
    })
  })

  test('returns undefined if nothing is found', async () => {
    expect(await findProgram({ environment, names: ['tester'] })).toBeUndefined()
  })

  test('searches the names in PATH in order of preference', async () => {
    program('second')
    const first = program('first')
    expect((await findProgram({ environment, names: ['first', 'second'] }))?.path).toBe(first)
  })

  test('the variable may contain a name to search in PATH', async () => {
    const path = program('other')
    process.env[environment] = 'other'
    expect(await findProgram({ environment, names: ['tester'] })).toEqual({
      path,
      source: 'environment',
      fallback: false,
    })
  })

  test('does not search a relative folder in PATH', async () => {
    program('tester')
    process.env.PATH = '.'
    const before = process.cwd()
    process.chdir(folder)
    expect(await findProgram({ environment, names: ['tester'] })).toBeUndefined()
    process.chdir(before)
  })
})

describe('ignored candidates', () => {
  test('a variable with a missing file is INVALID_CONFIG, even if the program exists elsewhere', async () => {
    program('tester')
    for (const value of [join(folder, 'missing'), folder, program('plain', 0o644), 'no-such-name']) {
      process.env[environment] = value
      await expect(findProgram({ environment, names: ['tester'] })).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        message: `MEDIAPROC_DCRAW is set to ${value}, which is not a program`,
      })
    }
  })

  test('skips non-executable files and folders in PATH', async () => {
    mkdirSync(join(folder, 'tester'))
    writeFileSync(join(otherFolder, 'tester'), '', { mode: 0o644 })
    process.env.PATH = `${folder}:${otherFolder}`
    expect(await findProgram({ environment, names: ['tester'] })).toBeUndefined()
  })

  test('skips a missing package file', async () => {
    const search = { environment, names: ['tester'], fromPackage: async () => join(folder, 'gone') } as const
    expect(await findProgram(search)).toBeUndefined()
  })
})

test('adds the execute bit to a package file', async () => {
  const path = program('packaged', 0o644)
  expect((await findProgram({ environment, names: ['tester'], fromPackage: async () => path }))?.path).toBe(path)
  expect(statSync(path).mode & 0o111).toBe(0o111)
})

test('returns nothing for a package that is not installed', async () => {
  expect(await packagedProgram('@mediaproc/not-a-package')).toBeUndefined()
})
