/** Ctrl-K: any tool or page by a few letters. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { shownParts } from '../admin/parts.ts'
import { loadTools, tools } from '../api/tools.ts'
import type { ToolEntry } from '../api/types.ts'
import { STRINGS } from '../strings.ts'
import { useSearch } from '../tools/use-search.ts'
import { navRows } from './nav.ts'
import { closePalette } from './palette-state.ts'
import { navigate, toolPath } from './router.ts'
import '../styles/palette.css'

interface Choice {
  to: string
  label: string
  about: string
}

/** Most choices in the list. */
const MOST = 50

const pageChoices = (): Choice[] =>
  [{ path: './', label: STRINGS.nav.tools }, ...navRows()].map(({ path: to, label }) => ({
    ...{ to, label, about: STRINGS.palette.page },
  }))

/** Pages of administrators that the user may open. */
const adminPages = (): Choice[] =>
  shownParts().map(({ id }) => ({
    to: `admin/${id}`,
    label: STRINGS.admin.parts[id],
    about: STRINGS.admin.title,
  }))

const choiceOf = (tool: ToolEntry): Choice => ({ to: toolPath(tool), label: tool.label, about: tool.summary })

export function Palette(): JSX.Element {
  const { palette } = STRINGS
  const words = useSignal('')
  const at = useSignal(0)
  const found = useSearch(words)
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the next key: it belongs to the search.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    loadTools().catch(() => undefined)
  }, [])
  const typed = words.value.trim()
  const pages = [...pageChoices(), ...adminPages()].filter(({ label }) =>
    label.toLowerCase().includes(typed.toLowerCase()),
  )
  const list = [...pages, ...(found.value?.tools ?? tools.value).map(choiceOf)].slice(0, MOST)
  const current = Math.min(at.value, list.length - 1)
  const open = (choice: Choice | undefined): void => {
    if (!choice) return
    dialog.current?.close()
    navigate(choice.to)
  }
  // Until the answer is there, the tools are those of other words: Enter waits for it.
  const isAnswered = (found.value?.words ?? '') === typed
  const isEntered = useRef(false)
  useEffect(() => {
    if (isAnswered && isEntered.current) open(list[current])
    isEntered.current = false
  }, [found.value])
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && list.length > 0) {
      event.preventDefault()
      at.value = (current + step + list.length) % list.length
      document.getElementById(`choice-${at.value}`)?.scrollIntoView({ block: 'nearest' })
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      if (isAnswered || current < pages.length) open(list[current])
      else isEntered.current = true
    }
  }
  return (
    <dialog ref={dialog} class="palette" aria-label={palette.label} onClose={closePalette}>
      <input
        type="text"
        // biome-ignore lint/a11y/noRedundantRoles: without a datalist, a text field has another role
        role="combobox"
        list={undefined}
        aria-label={palette.label}
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={list.length > 0 ? `choice-${current}` : undefined}
        placeholder={palette.placeholder}
        maxLength={200}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value
          at.value = 0
          isEntered.current = false
        }}
        onKeyDown={onKey}
      />
      <div id="choices" role="listbox" aria-label={palette.results}>
        {list.map((choice, index) => (
          <div
            key={choice.to}
            id={`choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => open(choice)}
            onKeyDown={onKey}
          >
            <span>{choice.label}</span>
            <span class="faint small">{choice.about}</span>
          </div>
        ))}
      </div>
      {list.length === 0 && (
        <p class="faint" role="status">
          {found.value?.failure === undefined ? palette.none : STRINGS.errors.search(found.value.failure)}
        </p>
      )}
    </dialog>
  )
}
