/** The tools that the user may use, loaded once. */
import { signal } from '@preact/signals'
import { call } from './call.ts'
import type { GetTools, GetToolsPopular, ToolEntry, ToolForm } from './types.ts'

export const tools = signal<readonly ToolEntry[]>([])
export const groups = signal<Readonly<Record<string, readonly string[]>>>({})
export const popular = signal<readonly string[]>([])

let loading: Promise<void> | undefined

/** Loads the list; again after a failure. */
export function loadTools(): Promise<void> {
  loading ??= Promise.all([call<GetTools>('api/v1/tools'), call<GetToolsPopular>('api/v1/tools/popular')]).then(
    ([list, most]) => {
      tools.value = list.tools
      groups.value = list.groups
      popular.value = most.tools
    },
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** Tools that match words or their synonyms, best first. */
export async function searchTools(words: string, stop: AbortSignal): Promise<ToolEntry[]> {
  const query = new URLSearchParams({ search: words })
  return (await call<GetTools>(`api/v1/tools?${query}`, { signal: stop })).tools
}

const forms = new Map<string, ToolForm>()

/** After an install of models: which tools can run is asked again. */
export function forgetTools(): void {
  loading = undefined
  forms.clear()
}

/** A tool with its form. @throws ApiError NOT_FOUND */
export async function loadForm(section: string, id: string): Promise<ToolForm> {
  const name = `${section}/${id}`
  const known = forms.get(name)
  if (known) return known
  const form = await call<ToolForm>(`api/v1/tools/${encodeURIComponent(section)}/${encodeURIComponent(id)}`)
  forms.set(name, form)
  return form
}
