/**
 * The settings of every tool, preset and action, by name: `image/resize`, `image/edit-metadata/inspect`.
 * `npm run build` replaces this declaration in `dist` with the exact types, which it derives from the tools' tables
 * (`src/generate/docs/settings-types.ts`); the project's own code checks settings at run time.
 */
export interface ToolSettings {
  readonly [id: string]: Readonly<Record<string, unknown>>
}
