import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lockedPackages, PACKS } from '../../src/generate/assets/engine-packs.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8')

interface Locked {
  version: string
  dev?: boolean
  optional?: boolean
  engines?: { node?: string }
  dependencies?: Record<string, string>
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const manifest = JSON.parse(read('package.json')) as { engines: { node: string }; overrides?: Record<string, string> }

/** The package that a package of the lock file gets for a name. */
function resolved(from: string, name: string): Locked | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]
    if (found || folder === '' || !folder.includes('node_modules')) return found ?? packages[`node_modules/${name}`]
  }
}

test('an override never decides what the program uses: it does not apply to users of the package', () => {
  const overridden = Object.keys(manifest.overrides ?? {})
  const used = Object.entries(packages).filter(([, about]) => !about.dev)
  const asked = used.flatMap(([from, { dependencies = {} }]) =>
    Object.keys(dependencies)
      .filter((name) => overridden.includes(name))
      .map((name) => `${from} uses ${name} ${resolved(from, name)?.version}`),
  )
  expect(asked).toEqual([])
})

/** Whether a range of Node versions such as `^18.17.0 || ^20.3.0 || >=21.0.0` includes a version. */
function takes(range: string, version: readonly number[]): boolean {
  const compared = (text: string): number => {
    const parts = text.split('.').map(Number)
    return [0, 1, 2].map((at) => version[at]! - (parts[at] ?? 0)).find((apart) => apart !== 0) ?? 0
  }
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|<=|<|>|\^|~|)\s*v?(\d[\d.]*)/g)].every(([, sign, text]) => {
      const apart = compared(text!)
      if (sign === '>=') return apart >= 0
      if (sign === '>') return apart > 0
      if (sign === '<') return apart < 0
      if (sign === '<=') return apart <= 0
      return apart >= 0 && version[0] === Number(text!.split('.')[0])
    }),
  )
}

test('every package installed with the program accepts the oldest supported Node', () => {
  const oldest = /\d+(?:\.\d+)*/.exec(manifest.engines.node)![0].split('.').map(Number)
  expect([takes('>=22', oldest), takes('^18 || ^20.3.0', oldest), takes('>= 20 < 21', oldest)]).toEqual([
    ...[false, true, true],
  ])
  const refusing = Object.entries(packages)
    .filter(([path, { dev, engines }]) => path !== '' && !dev && engines?.node && !takes(engines.node, oldest))
    .map(([path, { version, engines }]) => `${path} ${version} wants ${engines!.node}`)
  expect(refusing).toEqual([])
})

/** The packages that the build compiled into the program. */
const compiled = JSON.parse(read('dist/packages.json')) as Record<string, { version: string; licence: string }>

test('every package compiled into the program accepts the oldest supported Node, and has a licence', () => {
  const oldest = /\d+(?:\.\d+)*/.exec(manifest.engines.node)![0].split('.').map(Number)
  expect(Object.keys(compiled).length).toBeGreaterThan(150)
  const found = Object.entries(compiled).map(([name, { version }]) => {
    const locked = Object.entries(packages).find(
      ([path, about]) => path.endsWith(`node_modules/${name}`) && about.version === version,
    )
    return { name, version, node: locked?.[1].engines?.node, isLocked: locked !== undefined }
  })
  expect(found.filter(({ isLocked }) => !isLocked)).toEqual([])
  expect(found.filter(({ node }) => node && !takes(node, oldest))).toEqual([])
  const texts = read('dist/licences.txt')
  for (const [name, { version, licence }] of Object.entries(compiled)) {
    expect(licence, name).toMatch(/MIT|ISC|BSD|Apache|0BSD|Unlicense|BlueOak|CC0|CC-BY|LGPL|Python|Zlib/)
    expect(texts, name).toContain(`\n${name} ${version} (${licence})\n`)
  }
})

test('the engine packs are those of the lock file', () => {
  const listed = JSON.parse(read('models/engines.json')) as Record<string, { packages: Record<string, unknown>[] }>
  expect(Object.keys(listed)).toEqual(Object.keys(PACKS))
  for (const [name, declared] of Object.entries(PACKS)) {
    const pinned = listed[name]!.packages.map(({ archiveBytes: _archive, bytes: _bytes, ...rest }) => rest)
    // npm run engines:manifest writes it.
    expect(pinned, name).toEqual(lockedPackages(declared, read('package-lock.json')))
  }
})
