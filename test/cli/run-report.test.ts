import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()

const HOSTILE = `a<script>alert(1)</script>"'&\n\u001b[31m.jpg`

const pictures = (html: string): Buffer[] =>
  [...html.matchAll(/src="data:image\/webp;base64,([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'))

test('--report: one page with thumbnails before and after, sizes, savings, failures and escaped names', async () => {
  copyFileSync(here.at('a.jpg'), here.at(HOSTILE.replaceAll('/', '_')))
  const name = HOSTILE.replaceAll('/', '_')
  const run = await here.run([
    'image',
    'convert',
    'a.jpg',
    name,
    'none.jpg',
    '--format',
    'png',
    '--report',
    'out/r.html',
  ])
  expect(run.code).toBe(1)
  const html = readFileSync(here.at('out/r.html'), 'utf8')
  // Nothing but embedded pictures and styles, by the policy of the page and in fact.
  expect(html).toContain(`content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"`)
  expect(html).not.toMatch(/<script|https?:|url\(|@import|<link/)
  expect(html).not.toContain('\u001b')
  expect(html).toContain('a&lt;script&gt;alert(1)&lt;_script&gt;&quot;&#39;&amp;\\n\\u001b[31m.jpg')
  expect(html).toContain('prefers-color-scheme: dark')
  expect(html).toMatch(/<b>2<\/b><span class="quiet">done</)
  expect(html).toMatch(/<b>1<\/b><span class="quiet">failed</)
  expect(html).toContain('does not exist (FILE_NOT_FOUND)')
  expect(html).toMatch(/class="(smaller|larger)">[−+]\d+ %</)
  const shown = pictures(html)
  expect(shown).toHaveLength(4)
  for (const data of shown)
    expect(await sharp(data).metadata()).toMatchObject({ width: 40, height: 20, format: 'webp' })
  expect(namesIn(here.at('out'))).toEqual(['r.html'])
})

test('--report of a pipeline: every variant with its own saving, and the times of the steps', async () => {
  writeFileSync(
    here.at('p.yaml'),
    `steps: [{ image/resize: { width: 20 } }]
variants:
  - { name: small, steps: [{ image/convert: { format: png } }] }
  - { name: web, steps: [{ image/convert: { format: webp } }] }
`,
  )
  expect((await here.run(['run', 'p.yaml', 'a.jpg', '--report', 'r.html'])).code).toBe(0)
  const html = readFileSync(here.at('r.html'), 'utf8')
  expect(pictures(html)).toHaveLength(3)
  expect(html.match(/class="(smaller|larger|)">[−+±]\d+ %</g)).toHaveLength(2)
  expect(html).toMatch(/Steps: image\/resize \d+ ms, image\/convert/)
})

test('a report never replaces an input or an output, and a dry run writes none', async () => {
  const before = readFileSync(here.at('a.jpg'))
  expect(await here.run(['image', 'convert', 'a.jpg', '--format', 'png', '--report', 'a.jpg'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('OUTPUT_IS_INPUT'),
  })
  expect(readFileSync(here.at('a.jpg')).equals(before)).toBe(true)
  await here.run(['image', 'convert', 'a.jpg', '--format', 'webp', '--report', 'r.html', '--dry-run'])
  expect(existsSync(here.at('r.html'))).toBe(false)
})

test('--summary: a table in the file of GITHUB_STEP_SUMMARY, and an error without one', async () => {
  const name = 'x|y`z.jpg'
  copyFileSync(here.at('a.jpg'), here.at(name))
  const environment = { GITHUB_STEP_SUMMARY: here.at('s.md') }
  const run = await here.run(['image', 'convert', name, 'none.jpg', '--format', 'png', '--summary'], { environment })
  expect(run.code).toBe(1)
  const markdown = readFileSync(here.at('s.md'), 'utf8')
  expect(markdown).toContain('### mediaproc image/convert\n')
  const rows = markdown.split('\n').filter((line) => /^\| (done|\*\*failed)/.test(line))
  expect(rows).toHaveLength(2)
  for (const row of rows) expect(row.split('|')).toHaveLength(9)
  expect(rows[0]).toContain('<code>x&#124;y&#96;z.jpg</code>')
  const refused = await here.run(['image', 'convert', 'a.jpg', '--format', 'png', '--summary'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--summary needs a file') })
  expect(existsSync(here.at('a.png'))).toBe(false)
})
