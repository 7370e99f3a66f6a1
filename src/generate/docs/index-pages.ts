import { SECTION_WORDS } from '../../cli/program-help.ts'
import { firstOf } from '../../lists.ts'
import { IMAGE_EXTENSIONS } from '../../media/type.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { SECTIONS, type Section } from '../../tool/contract.ts'
import { kebabCase } from '../../tool/settings.ts'
import { code, codeBlock, GENERATED, markdownText, table } from './markdown.ts'

const toolRows = (entries: readonly CatalogueEntry[], folder: string): string[][] =>
  entries
    .filter((entry) => entry.base === undefined)
    .map(({ id, summary }) => [`[${id}](${folder}${id}.md)`, markdownText(summary)])

/** docs/tools/README.md: every section with its tools. */
export function toolsIndex(entries: readonly CatalogueEntry[]): string {
  const parts = SECTIONS.map((section) => {
    const own = entries.filter((entry) => entry.section === section)
    const presets = own.filter((entry) => entry.base !== undefined).length
    const more =
      presets > 0 ? `\nAnd [${presets} ${presets === 1 ? 'preset' : 'presets'}](${section}/README.md#presets).\n` : ''
    return `\n## ${section}\n\n${table(['Tool', 'What it does'], toolRows(own, `${section}/`))}${more}`
  })
  return `${GENERATED}# Tools

Every page is made by running the tool's examples; \`mediaproc SECTION TOOL --help\` says the same at the shell.
${parts.join('')}
## Types of images

Where a tool takes images, these are: ${IMAGE_EXTENSIONS.join(', ')}. What a file is, is found by its content.

## Samples

\`npm run samples\` makes the files of the examples: photo.jpg, photo-mask.png (white over a peak), old-photo.jpg (scratched), holiday.jpg
(held upright, with a place in its EXIF data), portrait.jpg, the folder photos, parcel.jpg, logo.svg, animation.gif, nearer.gif, clip.mp4,
film.mkv, tone.mp3, hum.wav, report.pdf, invoice.pdf, attached.pdf, form.pdf, registrations.csv, values.json, signed.pdf, signer.p12, authority.pem, secret.pdf (the passwords are in password.txt), terms.txt, patterns.txt, people.csv, members.json,
staff.xlsx, register.xml, sales.csv, field notes in Markdown, page.html, letter.odt, slides.odp, book.epub and bundle.zip, and a file of each further type that a preset takes. Every command on these pages
runs in that folder as it is. In pictures on these pages the longer side has at
most 320 pixels.
`
}

/** docs/tools/<section>/README.md: the tools and presets of one section. */
export function sectionIndex(section: Section, entries: readonly CatalogueEntry[]): string {
  const presets = entries.filter((entry) => entry.base !== undefined)
  const rows = presets.map(({ id, summary, input, base, locked, settings }) => [
    code(id),
    markdownText(summary),
    input.accept.join(', '),
    [
      `[${base}](${base}.md)`,
      ...Object.entries(locked!).map(([name, value]) => code(`--${kebabCase(name)} ${value}`)),
    ].join(' '),
    Object.keys(settings)
      .map((name) => code(`--${kebabCase(name)}`))
      .join(' '),
  ])
  const presetPart =
    presets.length === 0
      ? ''
      : `\n## Presets\n\nA preset is a tool with some settings fixed, under a name of its own:\n\n${codeBlock('sh', `mediaproc ${section} ${firstOf(presets).id} FILE…`)}\n${table(['Preset', 'What it does', 'Takes', 'Same as', 'Settings'], rows)}`
  return `${GENERATED}# ${section}\n\nTools for ${markdownText(SECTION_WORDS[section].replace(/ …$/, ' and more'))}.\n\n${table(['Tool', 'What it does'], toolRows(entries, ''))}${presetPart}`
}
