/** `mediaproc mcp` over standard input and output, with the client of the SDK. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, dataOf, errorOf, startAgent } from '../helpers/mcp.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const picture = (width = 60, height = 40): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer()

async function scene(): Promise<string> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.png'), await picture())
  writeFileSync(join(folder, 'b.png'), await picture(30, 30))
  return folder
}

const resize = (files: string[], more: Record<string, unknown> = {}) => ({
  ...{ tool: 'image/resize', files, settings: { width: 20 } },
  ...more,
})

describe.each([
  ['the newest protocol', false],
  ['the protocol of 2025', true],
])('with %s', (_name, isOld) => {
  let client: Client
  let folder: string
  beforeAll(async () => {
    folder = await scene()
    client = await startAgent({ roots: [folder], isOld })
  })

  test('the tools cost at most 4,000 tokens', async () => {
    const listed = await client.listTools()
    const tokens = encode(JSON.stringify(listed)).length + encode(client.getInstructions() ?? '').length
    expect(tokens).toBeLessThanOrEqual(4000)
    expect(listed.tools.map(({ name }) => name)).toEqual([
      ...['search_tools', 'list_tools', 'describe_tool', 'run_tool', 'run_pipeline', 'inspect_file'],
    ])
  })

  test('a tool is found, described and run; the result is a file, a link and a preview', async () => {
    const found = dataOf(await ask(client, 'search_tools', { query: 'scale image', section: 'image' }))
    expect(found.tools[0].id).toBe('image/resize')
    const described = dataOf(await ask(client, 'describe_tool', { tool: 'image/resize' }))
    expect(described.settings.properties.width).toMatchObject({ type: 'integer', minimum: 1, maximum: 16383 })
    const name = `run-${isOld}.png`
    const result = await ask(client, 'run_tool', resize(['a.png'], { output_name: name }))
    const [{ input, outputs }] = dataOf(result).results
    expect([input, outputs[0].path, outputs[0].mimeType]).toEqual(['a.png', join(folder, name), 'image/png'])
    expect(await sharp(join(folder, name)).metadata()).toMatchObject({ width: 20, height: 13, format: 'png' })
    const [text, link, preview] = result.content
    expect([text?.type, link?.type, preview?.type]).toEqual(['text', 'resource_link', 'image'])
    if (preview?.type !== 'image' || link?.type !== 'resource_link') throw new Error('no preview')
    expect(await sharp(Buffer.from(preview.data, 'base64')).metadata()).toMatchObject({ width: 20, height: 13 })
    const read = await client.readResource({ uri: link.uri })
    expect(read.contents[0]).toMatchObject({ blob: readFileSync(join(folder, name)).toString('base64') })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(link.uri)
  })

  test('several files: one that fails does not stop the others', async () => {
    writeFileSync(join(folder, 'broken.png'), 'this is no picture')
    const out = join(folder, `several-${isOld}`)
    const result = await ask(client, 'run_tool', resize(['a.png', 'broken.png', 'b.png'], { output_dir: out }))
    expect(result.isError).toBe(true)
    const { results } = result.structuredContent as { results: { error?: { code: string }; outputs?: object[] }[] }
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'UNSUPPORTED_FILE_TYPE', undefined])
    expect(readdirSync(out).sort()).toEqual(['a_resize.png', 'b_resize.png'])
  })

  test('a pipeline is explained and run in one call', async () => {
    const steps = [
      { tool: 'image/resize', settings: { width: 10 } },
      { tool: 'image/convert', settings: { format: 'webp' } },
    ]
    const plan = dataOf(await ask(client, 'run_pipeline', { steps, explain: true }))
    expect(plan.variants[0].groups[0].steps.map(({ tool }: { tool: string }) => tool)).toEqual([
      'image/resize',
      'image/convert',
    ])
    const out = `pipeline-${isOld}`
    dataOf(await ask(client, 'run_pipeline', { steps, files: ['a.png'], output_dir: out }))
    const [name = ''] = readdirSync(join(folder, out))
    expect(await sharp(join(folder, out, name)).metadata()).toMatchObject({ width: 10, format: 'webp' })
  })

  test('errors have a code and a hint for agents', async () => {
    const wrong = errorOf(await ask(client, 'run_tool', { ...resize(['a.png']), settings: { width: 0 } }))
    expect(wrong).toMatchObject({ isError: true, code: 'INVALID_SETTINGS' })
    expect(wrong.message).toContain('width')
    expect(wrong.hint).toContain('describe_tool')
    expect(errorOf(await ask(client, 'run_tool', { tool: 'image/resise' }))).toMatchObject({ code: 'UNKNOWN_TOOL' })
    expect(errorOf(await ask(client, 'run_tool', { ...resize(['a.png']), force: true }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    expect(errorOf(await ask(client, 'run_tool', resize(['missing.png'])))).toMatchObject({ code: 'FILE_NOT_FOUND' })
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/Unknown tool/)
  })

  test('an existing file stays, unless overwrite is passed by a client that cannot ask', async () => {
    const path = join(folder, 'kept.png')
    writeFileSync(path, 'mine')
    const again = resize(['a.png'], { output_name: 'kept.png' })
    const refused = errorOf(await ask(client, 'run_tool', again))
    expect(refused).toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect(refused.hint).toContain('overwrite: true')
    expect(readFileSync(path, 'utf8')).toBe('mine')
    dataOf(await ask(client, 'run_tool', { ...again, overwrite: true }))
    expect((await sharp(path).metadata()).width).toBe(20)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('the user is asked before files are replaced, also if the agent passes overwrite', async () => {
    const asked: string[] = []
    let agrees = false
    const answer = (message: string) => {
      asked.push(message)
      return agrees ? { action: 'accept' as const, content: { replace: true } } : { action: 'decline' as const }
    }
    const asking = await startAgent({ roots: [folder], answer, isOld })
    const path = join(folder, `asked-${isOld}.png`)
    writeFileSync(path, 'mine')
    const again = resize(['a.png'], { output_name: `asked-${isOld}.png`, overwrite: true })
    expect(errorOf(await ask(asking, 'run_tool', again))).toMatchObject({ code: 'OUTPUT_EXISTS' })
    expect([readFileSync(path, 'utf8'), asked.length]).toEqual(['mine', 1])
    expect(asked[0]).toContain(path)
    agrees = true
    dataOf(await ask(asking, 'run_tool', again))
    expect((await sharp(path).metadata()).width).toBe(20)
    await asking.close()
  })

  test('without --root, the roots of the client may be used; without both, nothing', async () => {
    const named = await startAgent({ clientRoots: [folder], isOld })
    const out = `roots-${isOld}`
    dataOf(await ask(named, 'run_tool', resize(['a.png'], { output_dir: out })))
    expect(existsSync(join(folder, out, 'a_resize.png'))).toBe(true)
    await named.close()
    const none = await startAgent({ isOld })
    const refused = errorOf(await ask(none, 'run_tool', resize([join(folder, 'a.png')])))
    expect(refused).toMatchObject({ code: 'ROOT_REQUIRED' })
    expect(refused.hint).toContain('--root')
    // What needs no files works.
    expect(dataOf(await ask(none, 'list_tools')).sections).toHaveLength(5)
    await none.close()
  })

  test('progress rises to the end, and a canceled call leaves nothing', async () => {
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress)
    const files = Array.from({ length: 3 }, () => 'a.png')
    mkdirSync(join(folder, 'big'), { recursive: true })
    writeFileSync(join(folder, 'big', 'big.png'), await picture(3000, 3000))
    dataOf(
      await client.callTool(
        { name: 'run_tool', arguments: resize(['big/big.png'], { output_dir: `progress-${isOld}` }) },
        { onprogress },
      ),
    )
    expect(seen).toEqual([...seen].sort((one, other) => one - other))
    expect(seen.at(-1)).toBe(1)
    expect(errorOf(await ask(client, 'run_tool', resize(files)))).toMatchObject({ code: 'OUTPUT_COLLISION' })
    const stop = new AbortController()
    const slow = {
      tool: 'image/convert',
      files: ['big/big.png'],
      settings: { format: 'avif' },
      output_dir: `stopped-${isOld}`,
    }
    const running = client.callTool({ name: 'run_tool', arguments: slow }, { signal: stop.signal })
    stop.abort()
    await expect(running).rejects.toThrow()
    // The next call is answered after the canceled one has ended.
    dataOf(await ask(client, 'inspect_file', { file: 'a.png' }))
    const stopped = join(folder, `stopped-${isOld}`)
    await expect.poll(() => (existsSync(stopped) ? readdirSync(stopped) : []), { timeout: 30_000 }).toEqual([])
  })

  test('a file is inspected', async () => {
    const result = await ask(client, 'inspect_file', { file: 'a.png' })
    expect(dataOf(result)).toMatchObject({ type: 'png', group: 'image', facts: { width: 60, height: 40 } })
    expect(result.content.at(-1)?.type).toBe('image')
  })
})
