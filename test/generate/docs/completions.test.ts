import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { completionData } from '../../../src/generate/docs/completion-data.ts'
import { shellFiles } from '../../../src/generate/docs/shell-files.ts'
import type { CatalogueEntry } from '../../../src/tool/catalogue.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'

const entries = await useScannedCatalogue()
const COMPLETIONS = fileURLToPath(new URL('../../../completions/', import.meta.url))
const has = (program: string): boolean => spawnSync('which', [program]).status === 0

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-completions-'))
writeFileSync(join(folder, 'my holiday photo.jpg'), '')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('data', () => {
  const data = completionData(entries)
  const optionsOf = (name: string) => data.tools.find(({ names }) => names.includes(name))!.options

  test('switches with default true can be switched off', () => {
    const names = optionsOf('image/barcode-generate').map(({ long }) => long)
    expect(names).toEqual(['--text', '--type', '--scale', '--include-text', '--no-include-text'])
    expect(optionsOf('image/resize').map(({ long }) => long)).not.toContain('--no-without-enlargement')
  })

  test('secrets, secondary inputs, deprecated settings', () => {
    expect(optionsOf('pdf/unlock-pdf').map(({ long, takes }) => [long, takes])).toEqual([
      ['--password', 'value'],
      ['--password-file', 'file'],
    ])
    expect(optionsOf('image/watermark-image').at(-1)).toMatchObject({ long: '--watermark', takes: 'file' })
    expect(optionsOf('pdf/compress-pdf').map(({ long }) => long)).not.toContain('--preset')
  })

  test('reads commands from their usage', () => {
    const command = (name: string) => data.commands.find((one) => one.name === name)!
    expect(command('completion')).toMatchObject({ words: ['bash', 'zsh', 'fish'], options: [], files: false })
    expect(command('tools').words).toEqual(['image', 'video', 'audio', 'pdf', 'files'])
    expect(command('tools').options).toMatchObject([{ long: '--json', takes: 'nothing' }])
    expect(command('convert')).toMatchObject({ words: [], files: true, options: [{ long: '--to', takes: 'value' }] })
    expect(command('help').words).toEqual(expect.arrayContaining(['exit-codes', 'environment', 'image', 'convert']))
    expect(data.commands.map(({ name }) => name)).not.toContain('__complete')
  })

  test('conversion targets', () => {
    const [to] = data.commands.find(({ name }) => name === 'convert')!.options
    expect(to!.values).toEqual(expect.arrayContaining(['jpg', 'webp', 'mp4', 'mp3', 'pdf']))
    const bash = shellFiles(entries).get('completions/mediaproc.bash')!
    expect(bash).toMatch(/convert\)\n[^;]*case \$previous in\n\s+--to\) values='[^']*\bwebp\b/)
    expect(shellFiles(entries).get('completions/mediaproc.fish')).toMatch(/-l to .*-a '[^']*\bwebp\b/)
  })

  test('a setting named as a common option replaces it', () => {
    const resize = entries.find(({ id }) => id === 'resize')!
    const other: CatalogueEntry = {
      ...resize,
      settings: { json: { type: 'boolean', help: 'x' }, name: { type: 'string', help: 'y' } },
    }
    expect(completionData([other]).tools[0]!.claimed).toEqual(['--name', '--json'])
    const files = shellFiles([other])
    expect(files.get('completions/_mediaproc')).toContain(':#*--json[=\\[]*})')
    expect(files.get('completions/mediaproc.fish')).toContain('and not __mediaproc_tool image/resize')
  })
})

/** Calls the function as bash would: the words of the line, the last one being typed. */
function bash(...words: string[]): string[] {
  const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mediaproc 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = spawnSync(
    'bash',
    ['--norc', '--noprofile', '-c', script, join(COMPLETIONS, 'mediaproc.bash'), ...words],
    { encoding: 'utf8', cwd: folder },
  )
  return stdout.split('\n').filter(Boolean)
}

describe.skipIf(!has('bash'))('bash', () => {
  test.each<[string[], string[]]>([
    [['im'], ['image']],
    [['co'], ['convert', 'config', 'completion']],
    [['--v'], ['--version']],
    [['image', 'resi'], ['resize']],
    [
      ['image', 'strip'],
      ['strip-metadata', 'strip-metadata/inspect'],
    ],
    [['pdf', 'pdf-to-j'], ['pdf-to-jpg']],
    [['image', 'resize', '--fi'], ['--fit']],
    [['image', 'resize', 'my photo.jpg', '--fi'], ['--fit']],
    [
      ['image', 'resize', '--fit', ''],
      ['cover', 'contain', 'fill', 'inside', 'outside'],
    ],
    [
      ['image', 'resize', '--fit', 'co'],
      ['cover', 'contain'],
    ],
    [
      ['image', 'resize', '--fit', '=', 'co'],
      ['cover', 'contain'],
    ],
    [
      ['image', 'resize', '--fit', '='],
      ['cover', 'contain', 'fill', 'inside', 'outside'],
    ],
    [
      ['image', 'collage', '--aspect-ratio', '1'],
      ['1:1', '16:9'],
    ],
    // bash splits words at colons, and expects only the part after the last one.
    [['image', 'collage', '--aspect-ratio', '16', ':'], ['9']],
    [
      ['image', 'collage', '--aspect-ratio', '=', '4', ':', ''],
      ['3', '5'],
    ],
    [['image', 'barcode-generate', '--no'], ['--no-include-text']],
    [['image', 'watermark-image', '--wat'], ['--watermark']],
    [
      ['image', 'resize', '--out'],
      ['--output', '--output-dir'],
    ],
    [
      ['image', 'jpg-to-png', '--qu'],
      ['--quality', '--quiet'],
    ],
    [
      ['pdf', 'pdf-to-image/preview', '--pa'],
      ['--page', '--pages'],
    ],
    [
      ['pdf', 'unlock-pdf', '--pass'],
      ['--password', '--password-file'],
    ],
    [['files', 'create-zip', '--zi'], ['--zip']],
    [
      ['convert', 'a.jpg', '--t'],
      ['--to', '--timeout'],
    ],
    [
      ['tools', ''],
      ['image', 'video', 'audio', 'pdf', 'files'],
    ],
    [['tools', '--'], ['--json']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['help', 'ex'], ['exit-codes']],
    // Without candidates, bash offers file names.
    [['image', 'resize', 'my'], []],
    [['image', 'watermark-image', '--watermark', ''], []],
    [['image', 'resize', '--width', ''], []],
    [['image', 'resize', '--', '--f'], []],
    [['nonsense', ''], []],
  ])('mediaproc %j', (words, wanted) => expect(bash('mediaproc', ...words)).toEqual(wanted))
})

/** Types keys into an interactive shell on a terminal; `mediaproc` prints its arguments, one per line in angle brackets. */
function type(shell: string, setUp: string, lines: readonly string[]): string[] {
  const input = [setUp, `mediaproc() { printf '<%s>\\n' "$@"; }`, ...lines, 'exit', ''].join('\n')
  const { stdout } = spawnSync('script', ['-qec', shell, '/dev/null'], {
    input,
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, TERM: 'dumb', PS1: '', HOME: folder },
    timeout: 20_000,
  })
  return [...stdout.matchAll(/^<(.*)>\r?$/gm)].map(([, word]) => word!)
}

describe.skipIf(!has('script') || !has('bash'))('bash on a terminal', () => {
  test('completes words, values and names with spaces', () => {
    const words = type('bash --norc --noprofile -i', `source '${join(COMPLETIONS, 'mediaproc.bash')}'`, [
      'mediaproc im\tresi\tmy\t--fit cont\t',
      'mediaproc image watermark-image --water\tmy\t',
      'mediaproc image collage --asp\t16:\t',
    ])
    expect(words).toEqual([
      ...['image', 'resize', 'my holiday photo.jpg', '--fit', 'contain'],
      ...['image', 'watermark-image', '--watermark', 'my holiday photo.jpg'],
      ...['image', 'collage', '--aspect-ratio', '16:9'],
    ])
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  test('the file is valid', () => {
    expect(spawnSync('zsh', ['-n', join(COMPLETIONS, '_mediaproc')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  test.skipIf(!has('script'))('completes words, values and names with spaces', () => {
    const setUp = `autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste; source '${join(COMPLETIONS, '_mediaproc')}'`
    const words = type('zsh -f -i', setUp, [
      'mediaproc ima\tresi\tmy\t--fit cont\t',
      'mediaproc image watermark-image --water\tmy\t',
      'mediaproc image strip-metadata/\t--js\t',
      'mediaproc image collage --asp\t16\t',
      'mediaproc pdf pdf-to-image/pre\t--wid\t80 --output-d\t/us\t',
      'mediaproc completion ba\t',
    ])
    // zsh writes --name=value, and a folder without the slash at the end of the line.
    expect(words).toEqual([
      ...['image', 'resize', 'my holiday photo.jpg', '--fit', 'contain'],
      ...['image', 'watermark-image', '--watermark=my holiday photo.jpg'],
      ...['image', 'strip-metadata/inspect', '--json'],
      ...['image', 'collage', '--aspect-ratio=16:9'],
      ...['pdf', 'pdf-to-image/preview', '--width=80', '--output-dir=/usr'],
      ...['completion', 'bash'],
    ])
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  const fish = (line: string): string[] => {
    const { stdout } = spawnSync(
      'fish',
      ['--no-config', '-c', `source $argv[1]; complete -C $argv[2]`, join(COMPLETIONS, 'mediaproc.fish'), line],
      {
        encoding: 'utf8',
        cwd: folder,
        env: { ...process.env, HOME: folder },
      },
    )
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((answer) => answer.split('\t')[0]!)
  }

  test('the file is valid', () => {
    expect(spawnSync('fish', ['-n', join(COMPLETIONS, 'mediaproc.fish')], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  test.each<[string, string[]]>([
    ['ima', ['image']],
    ['image resi', ['resize']],
    ['image strip-metadata/', ['strip-metadata/inspect']],
    ['image resize --fi', ['--fit']],
    ['image resize --fit ', ['contain', 'cover', 'fill', 'inside', 'outside']],
    ['image resize --fit=co', ['--fit=contain', '--fit=cover']],
    ['image collage --aspect-ratio 16:', ['16:9']],
    ['image barcode-generate --no-', ['--no-include-text']],
    ['image watermark-image --watermark my', ['my holiday photo.jpg']],
    ['image resize my', ['my holiday photo.jpg']],
    ['image resize --width my', []],
    ['completion ', ['bash', 'fish', 'zsh']],
    ['doctor my', []],
    ['convert a.jpg --to', ['--to']],
  ])('mediaproc %s', (line, wanted) => {
    expect(fish(`mediaproc ${line}`).map((word) => word.replaceAll('\\ ', ' '))).toEqual(wanted)
  })
})
