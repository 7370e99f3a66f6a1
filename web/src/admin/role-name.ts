import { STRINGS } from '../strings.ts'

/** The built-in roles have names for people; the others have the names that administrators gave them. */
export const roleName = (name: string): string => STRINGS.admin.roles.builtIn[name] ?? name
