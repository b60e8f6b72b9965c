import type { FileFormat } from '../../../../../shared/files/file-kind';
import { parseFileForm } from '../../../../../shared/files/file-kind';

/** What is sent: a text that was pasted, or a file. */
export type Content = { readonly text: string } | { readonly file: File };

/** The format of a file by its name, and of a text by its first character. */
export function formatOf(content: Content): FileFormat {
  if ('file' in content) return parseFileForm(content.file.name)?.format ?? 'json';
  return formatOfText(content.text);
}

/** JSON begins with a bracket or a brace; an array or one record a line, which its reader finds out. */
export function formatOfText(text: string): FileFormat {
  return /^\uFEFF?\s*[[{]/.test(text) ? 'json' : 'csv';
}

/** Where a line of a text begins and ends. Lines end as those of files do: in LF, CRLF or CR. */
export function lineAt(text: string, line: number): { readonly start: number; readonly end: number } {
  const breaks = [...text.matchAll(/\r\n|\r|\n/g)];
  const before = breaks[line - 2];
  return {
    start: before ? before.index + before[0].length : 0,
    end: breaks[line - 1]?.index ?? text.length,
  };
}
