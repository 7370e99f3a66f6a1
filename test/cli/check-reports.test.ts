import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { markdownCell } from '../../src/cli/output/escape.ts'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()

/** A name with characters that some report interprets. */
const HOSTILE = `::error a,b%0A|<b>&"'\`$(id)*[x](y)\n\u001b[31m.jpg`

const hostile = (): void => copyFileSync(here.at('a.jpg'), here.at(HOSTILE))

interface Sarif {
  version: string
  runs: {
    tool: { driver: { name: string; semanticVersion: string; rules: { id: string }[] } }
    results: {
      ruleId: string
      ruleIndex: number
      level: string
      message: { text: string }
      locations: { physicalLocation: { artifactLocation: { uri: string; uriBaseId?: string }; region: object } }[]
    }[]
  }[]
}

describe('reports of mediaproc check', () => {
  test('text: names are printable, and never commands of a CI system', async () => {
    hostile()
    const { stdout } = await here.run(['check', HOSTILE, '--max-width', '20'])
    expect(stdout.startsWith('./::error')).toBe(true)
    expect(stdout).not.toContain('\u001b')
    expect(stdout.split('\n')).toHaveLength(4)
    // The command can be pasted: a shell reads the same name.
    const command = stdout.split('\n')[2]!.replace(/^ *fix: mediaproc/, 'printf "%s\\0"')
    const { execFileSync } = await import('node:child_process')
    const words = execFileSync('bash', ['-c', command]).toString('utf8').split('\0')
    expect(words.slice(0, 3)).toEqual(['image', 'resize', HOSTILE])
  })

  test('SARIF 2.1.0: rules, results, relative URIs', async () => {
    hostile()
    writeFileSync(here.at('cut.png'), 'x')
    const { code, stdout } = await here.run([
      'check',
      'a.jpg',
      HOSTILE,
      'cut.png',
      '--max-width',
      '20',
      '--format',
      'sarif',
    ])
    expect(code).toBe(1)
    const log = JSON.parse(stdout) as Sarif
    expect(log).toMatchObject({ $schema: expect.stringContaining('sarif-2.1.0'), version: '2.1.0' })
    const [run] = log.runs
    expect(run?.tool.driver).toMatchObject({
      name: 'mediaproc',
      semanticVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    for (const { ruleId, ruleIndex, level, locations, message } of run?.results ?? []) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
      expect(['error', 'warning']).toContain(level)
      expect(message.text).not.toBe('')
      const [location] = locations
      const { uri, uriBaseId } = location!.physicalLocation.artifactLocation
      expect(uriBaseId).toBe('%SRCROOT%')
      expect(uri).toMatch(/^[\w.~%()!*'-]+$/)
      expect(existsSync(here.at(decodeURIComponent(uri)))).toBe(true)
      expect(location?.physicalLocation.region).toEqual({ startLine: 1 })
    }
    expect(run?.results.map(({ ruleId }) => ruleId)).toEqual(['command line', 'command line', 'readable'])
    // Brackets would be links.
    expect(run?.results[1]?.message.text).toContain('\\\\[x\\\\]'.replaceAll('\\\\', '\\'))
  })

  test('JUnit: well-formed, one case per file and rule, errors as failures', async () => {
    hostile()
    writeFileSync(
      here.at('rules.yaml'),
      '- { name: "a<b", maxWidth: 20 }\n- { name: w, severity: warning, maxHeight: 5 }\n',
    )
    const { stdout } = await here.run(['check', 'rules.yaml', 'a.jpg', HOSTILE, '--format', 'junit'])
    expect(XMLValidator.validate(stdout)).toBe(true)
    const parsed = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(stdout)
    const { testsuite, ...totals } = parsed.testsuites
    expect(totals).toMatchObject({ tests: '6', failures: '2', errors: '0' })
    expect(testsuite.testcase).toHaveLength(6)
    const [readable, wide, high] = testsuite.testcase.slice(0, 3)
    expect(readable).toMatchObject({ name: 'a.jpg', classname: 'readable' })
    expect(wide).toMatchObject({
      classname: 'a<b',
      failure: { type: 'maxWidth', message: expect.stringContaining('40 px') },
    })
    expect(high).toMatchObject({ classname: 'w', 'system-out': expect.stringContaining('height is 20 px') })
    expect(high.failure).toBeUndefined()
  })

  test('GitHub: one command a line, and a summary in the file of the step', async () => {
    hostile()
    const environment = { GITHUB_STEP_SUMMARY: here.at('summary.md'), GITHUB_WORKSPACE: here.path }
    writeFileSync(here.at('summary.md'), 'before\n')
    const { stdout } = await here.run(['check', 'a.jpg', HOSTILE, '--max-width', '20', '--format', 'github'], {
      environment,
    })
    const lines = stdout.split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(
      '::error file=a.jpg,title=command line::a.jpg: width is 40 px, at most 20 px%0Afix: mediaproc image resize a.jpg --width 20',
    )
    expect(lines[1]).toMatch(/^::error file=%3A%3Aerror a%2Cb%250A[^:,]*,title=command line::/)
    const summary = readFileSync(here.at('summary.md'), 'utf8')
    expect(summary.startsWith('before\n### mediaproc check\n')).toBe(true)
    const rows = summary.split('\n').filter((line) => line.startsWith('| error'))
    expect(rows).toHaveLength(2)
    for (const row of rows) expect(row.split('|')).toHaveLength(7)
    expect(summary).not.toMatch(/<b>|\[x\]|`/)
  })

  test('-o writes the report in one step and never over an input', async () => {
    const ran = await here.run(['check', 'a.jpg', '--max-width', '20', '--format', 'sarif', '-o', 'out/check.sarif'])
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: 'mediaproc: 1 file checked: 1 error\n' })
    expect(JSON.parse(readFileSync(here.at('out/check.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' })
    const before = readFileSync(here.at('a.jpg'))
    const refused = await here.run(['check', 'a.jpg', '-o', 'a.jpg'])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('OUTPUT_IS_INPUT') })
    expect(readFileSync(here.at('a.jpg')).equals(before)).toBe(true)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'out', 'out/check.sarif'])
  })

  test('cells of Markdown keep letters of every script and nothing that is interpreted', () => {
    expect(markdownCell('ä é 写真 1.jpg')).toBe('ä é 写真 1.jpg')
    expect(markdownCell('a|b`c*d_e')).toBe('a&#124;b&#96;c&#42;d&#95;e')
  })
})
