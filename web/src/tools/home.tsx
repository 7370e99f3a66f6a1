/** The first page: search, sections, popular tools, and tools for dropped files. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { groups, loadTools, popular, tools } from '../api/tools.ts'
import type { ToolEntry } from '../api/types.ts'
import { setTitle } from '../app/brand.ts'
import { Icon, type IconName } from '../app/icons.tsx'
import { useWork } from '../app/work.ts'
import { isAccepted } from '../files/accept.ts'
import { DropAnywhere } from '../files/drop-anywhere.tsx'
import { addFiles, fileNow, workFiles } from '../files/work-files.ts'
import { STRINGS } from '../strings.ts'
import { ToolGrid } from './tool-card.tsx'
import { type Found, useSearch } from './use-search.ts'
import '../styles/home.css'

const ICONS: Readonly<Record<string, IconName>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  pdf: 'pdf',
  files: 'files',
}

/** Tools of the catalogue's order by section. */
function bySection(list: readonly ToolEntry[]): [string, ToolEntry[]][] {
  const sections = new Map<string, ToolEntry[]>()
  for (const tool of list) sections.set(tool.section, [...(sections.get(tool.section) ?? []), tool])
  return [...sections]
}

/** Tools that take every one of these files, those of one file before presets. */
function toolsFor(files: readonly File[]): ToolEntry[] {
  const fitting = tools.value.filter(
    ({ accept, maxFiles }) => maxFiles > 0 && files.every(({ name }) => isAccepted(name, accept, groups.value)),
  )
  const rank = ({ id, base }: ToolEntry): number => (base ? 2 : popular.value.includes(id) ? 0 : 1)
  return fitting.sort((one, other) => rank(one) - rank(other))
}

function Section({ name, list }: { name: string; list: readonly ToolEntry[] }): JSX.Element {
  const presets = list.filter(({ base }) => base !== undefined)
  return (
    <section id={`section-${name}`} tabIndex={-1} aria-labelledby={`heading-${name}`}>
      <h2 id={`heading-${name}`} class="section-title">
        <Icon name={ICONS[name] ?? 'files'} />
        {STRINGS.home.sections[name] ?? name}
      </h2>
      <ToolGrid tools={list.filter(({ base }) => base === undefined)} />
      {presets.length > 0 && (
        <details class="presets">
          <summary>{STRINGS.home.presets(presets.length)}</summary>
          <ul class="chips">
            {presets.map(({ section, id, label, summary }) => (
              <li key={id}>
                <a class="chip" href={`tools/${section}/${id}`} title={summary}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function FilesHere(): JSX.Element {
  const files = workFiles.value.map(fileNow)
  const fitting = toolsFor(files)
  const names = files.map(({ name }) => name).join(', ')
  return (
    <section aria-live="polite">
      <div class="row apart">
        <h2>{STRINGS.home.toolsFor(names, files.length)}</h2>
        <button
          type="button"
          class="plain"
          onClick={() => {
            workFiles.value = []
          }}
        >
          {STRINGS.home.clear}
        </button>
      </div>
      {fitting.length === 0 ? <p class="faint">{STRINGS.home.noToolForFiles}</p> : <ToolGrid tools={fitting} />}
    </section>
  )
}

function Everything(): JSX.Element {
  const most = popular.value.flatMap((id) => tools.value.find((tool) => tool.id === id) ?? []).slice(0, 8)
  return (
    <>
      {most.length > 0 && (
        <section aria-labelledby="heading-popular">
          <h2 id="heading-popular">{STRINGS.home.popular}</h2>
          <ToolGrid tools={most} />
        </section>
      )}
      {bySection(tools.value).map(([name, list]) => (
        <Section key={name} name={name} list={list} />
      ))}
    </>
  )
}

function FoundTools({ found: { tools: list, words, failure } }: { found: Found }): JSX.Element {
  if (failure !== undefined)
    return (
      <p class="alert" role="alert">
        {STRINGS.errors.search(failure)}
      </p>
    )
  return (
    <section>
      <h2 aria-live="polite">{STRINGS.home.found(list.length, words)}</h2>
      <ToolGrid tools={list} />
    </section>
  )
}

export function Home(): JSX.Element {
  const { home } = STRINGS
  const work = useWork()
  const words = useSignal('')
  const found = useSearch(words)
  const picker = useRef<HTMLInputElement>(null)
  useEffect(() => {
    setTitle()
    work.run(loadTools)
  }, [])
  return (
    <div class="page">
      <DropAnywhere onFiles={(files) => addFiles(files)} />
      <div class="hero">
        <h1 tabIndex={-1}>{home.title}</h1>
        <div class="row hero-row">
          <input
            type="search"
            aria-label={home.search}
            placeholder={home.search}
            maxLength={200}
            value={words.value}
            onInput={(event) => {
              words.value = event.currentTarget.value
            }}
          />
          <button type="button" onClick={() => picker.current?.click()}>
            <Icon name="upload" />
            {home.choose}
          </button>
          <input
            ref={picker}
            class="hidden"
            type="file"
            multiple
            tabIndex={-1}
            aria-label={home.choose}
            onChange={(event) => addFiles([...(event.currentTarget.files ?? [])])}
          />
        </div>
        <p class="faint">{home.hint}</p>
        <nav class="row" aria-label={home.sectionsLabel}>
          {bySection(tools.value).map(([name]) => (
            <a key={name} class="chip" href={`#section-${name}`}>
              <Icon name={ICONS[name] ?? 'files'} size={16} />
              {home.sections[name] ?? name}
            </a>
          ))}
        </nav>
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      {found.value ? <FoundTools found={found.value} /> : workFiles.value.length > 0 ? <FilesHere /> : <Everything />}
    </div>
  )
}
