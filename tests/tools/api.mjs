// Reports the exports of the npm package and the Go packages, as texts in docs/reports. A change of
// either must be committed, so that no name, parameter or field changes unnoticed.
//
//   node tests/tools/api.mjs           shows the differences between the packages and the texts
//   node tests/tools/api.mjs --write   writes the texts
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";
import { API, SymbolFlags } from "typescript/unstable/sync";

const top = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${top}docs/reports/`;

/** The reports: a file, and the function that makes its text. */
export const reports = { "api-js.txt": javascript, "api-go.txt": go };

/** Every exported declaration of the Go packages, one line each. */
function go() {
  const options = { cwd: top, encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "inherit"] };
  return execFileSync("go", ["run", "./tests/tools/api"], options);
}

/**
 * Every name of each subpath, and the declarations behind them, from the package's own .d.ts files.
 */
function javascript() {
  const { name: own, exports } = JSON.parse(readFileSync(`${top}package.json`, "utf8"));
  const api = new API({ cwd: top });
  try {
    const project = `${top}build/api.tsconfig.json`;
    const files = Object.entries(exports).flatMap(([entry, { types }]) =>
      typesOf(types).map(([condition, file]) => [entry.replace(".", own) + condition, file]),
    );
    const compilerOptions = { noEmit: true, target: "es2024", module: "nodenext", lib: ["esnext", "dom"], types: [] };
    writeFileSync(project, JSON.stringify({ compilerOptions, files: files.map(([, file]) => `../${file}`) }));
    const [{ checker, program }] = api.updateSnapshot({ openProject: project }).getProjects();
    const source = (file) => program.getSourceFile(top + file);
    const names = files.flatMap(([entry, file]) => {
      const symbol = checker.getSymbolAtLocation(source(file));
      return symbol === undefined ? [] : checker.getExportsOfModule(symbol).map((one) => nameLine(checker, entry, one));
    });
    const all = new Set([...files.map(([, file]) => file), "dist/types.d.ts"]);
    const declarations = [...all].flatMap((file) => declarationsOf(source(file)));
    return `${[...names].sort().join("\n")}\n\n${declarations.sort().join("\n\n")}\n`;
  } finally {
    api.close();
  }
}

/** The declaration files of an entry, each with the condition in brackets that leads to it. */
function typesOf(types) {
  if (types === undefined) return [];
  if (typeof types === "string") return [["", types.slice(2)]];
  return Object.entries(types).map(([condition, file]) => [
    condition === "default" ? "" : ` (${condition})`,
    file.slice(2),
  ]);
}

/** One exported name: a value, a type or both, and the name of its declaration if that differs. */
function nameLine(checker, entry, symbol) {
  const aliased = (symbol.flags & SymbolFlags.Alias) !== 0;
  const target = aliased ? checker.getAliasedSymbol(symbol) : symbol;
  const typeOnly = aliased && symbol.declarations.some((one) => one.resolve().isTypeOnly);
  const value = !typeOnly && (target.flags & SymbolFlags.Value) !== 0;
  const kind = value ? ((target.flags & SymbolFlags.Type) !== 0 ? "value and type" : "value") : "type";
  return `${entry}: ${kind} ${symbol.name}${target.name === symbol.name ? "" : ` = ${target.name}`}`;
}

/** The declarations of a file, without its imports and list of exports. */
function declarationsOf(source) {
  const listed = [SyntaxKind.ImportDeclaration, SyntaxKind.ExportDeclaration];
  const statements = source.statements.filter(({ kind }) => !listed.includes(kind));
  return statements.map((one) => plain(one.getText(source)));
}

/** A declaration without comments, one member to a line, as the compiler indents it. */
function plain(text) {
  const scanner = createScanner(false, undefined, text);
  let out = "";
  const braces = []; // The open braces, and the templates that have an open one.
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if (kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.TemplateHead) braces.push(kind);
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === SyntaxKind.TemplateHead) {
      if (scanner.reScanTemplateToken(false) === SyntaxKind.TemplateMiddle) braces.push(SyntaxKind.TemplateHead);
    }
    if (kind === SyntaxKind.MultiLineCommentTrivia || kind === SyntaxKind.SingleLineCommentTrivia) continue;
    out += scanner.getTokenText();
  }
  return out
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")
    .replace(/^(?:export )?(?:declare )?/, "");
}

/** The lines of two texts that only one of them has. */
export function difference(kept, made) {
  const [before, after] = [kept, made].map((text) => text.split("\n"));
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !has.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !had.has(line)).map((line) => `+ ${line}`),
  ];
}

/** A recorded report, or an empty one. */
export function kept(name) {
  try {
    return readFileSync(folder + name, "utf8");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return "";
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, make] of Object.entries(reports)) {
    const made = make();
    for (const line of difference(kept(name), made)) console.log(line);
    if (process.argv.includes("--write")) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + name, made);
    } else if (made !== kept(name)) process.exitCode = 1;
  }
}
