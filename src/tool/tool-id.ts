import type { ToolSettings } from './tool-settings.ts'

/** The name of a tool, preset or action: `image/resize`, `image/edit-metadata/inspect`. */
export type ToolId = Extract<keyof ToolSettings, string>

/** A literal name is checked at compile time; a dynamic one is looked up at run time. */
export type Known<Id extends string> = string extends Id ? unknown : Id extends ToolId ? unknown : ToolId

/** The settings of a tool; any settings for a dynamic name. */
export type SettingsFor<Id extends string> = Id extends ToolId ? ToolSettings[Id] : Readonly<Record<string, unknown>>
