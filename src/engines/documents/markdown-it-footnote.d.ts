/** The part of the library that is used; it has no types of its own. */
declare module 'markdown-it-footnote' {
  const footnotes: import('markdown-it').PluginSimple
  export default footnotes
}
