/** The library: the same tools, checks and guarantees as the command line, for programs. */

import type { CatalogueEntry } from './tool/catalogue.ts'
import { catalogue } from './tool/registry.ts'

export { ERRORS, type ErrorCode, EXIT, type ExitCode, MediaprocError } from './errors.ts'
export type { Output, OutputForm } from './library/results.ts'
export { type Inputs, type RunOptions, type RunResult, run, type Warning } from './library/run.ts'
export { type Pipeline, type PipelineOptions, type PipelineResult, runPipeline } from './library/run-pipeline.ts'
export type { Content, Source } from './library/sources.ts'
export { usePlugins } from './library/use-plugins.ts'
export type { CatalogueEntry } from './tool/catalogue.ts'
export type { InputSpec, OutputSpec, Section } from './tool/contract.ts'
export type { LoadedPlugin } from './tool/plugins/load.ts'
export type { Setting, SettingsTable, SettingType } from './tool/settings.ts'
export type { ToolId } from './tool/tool-id.ts'
export type { ToolSettings } from './tool/tool-settings.ts'

/** All tools and presets with their settings, as data; no tool is loaded. */
export function tools(): readonly CatalogueEntry[] {
  return catalogue()
}
