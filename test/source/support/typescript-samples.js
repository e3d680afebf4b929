'use strict';
// The TypeScript people write: a name, a module, and what its default export must be. `exact` says
// that blanks are enough, so that every character that stays keeps its place.

/** @type {{ name: string, source: string, value: unknown, exact?: boolean, jsx?: boolean }[]} */
const SAMPLES = [
  {
    name: 'enums',
    source: `enum A { X, Y = 5, Z, S = 's' } export default [A.X, A.Z, A[5], A.S]`,
    value: [0, 6, 'Y', 's'],
  },
  {
    name: 'computed enum members',
    source: `const k = 2; enum A { X = 1 << k, Y = 'abc'.length, Z = X | 8 } export default [A.X, A.Y, A.Z, A[3]]`,
    value: [4, 3, 12, 'Y'],
  },
  {
    name: 'const enums',
    source: `const enum A { X = 1, Y } export default [A.X, A.Y]`,
    value: [1, 2],
  },
  {
    name: 'merged exported enums',
    source: `export enum A { X = 1 } export enum A { Y = 2 } export default [A.X, A.Y, A[2]]`,
    value: [1, 2, 'Y'],
  },
  {
    name: 'namespaces',
    source: `namespace N { export const a = 1; export function f() { return a + 1 } } export default [N.a, N.f()]`,
    value: [1, 2],
  },
  {
    name: 'dotted and merged namespaces',
    source: `namespace N.M { export const a = 1 } namespace N { export const b = 2 } export default [N.M.a, N.b]`,
    value: [1, 2],
  },
  {
    name: 'namespaces of types only',
    source: `namespace N { export type T = string } const s: N.T = 'a'; export default s`,
    value: 'a',
    exact: true,
  },
  {
    name: 'parameter properties',
    source: `class A { constructor(public a: number, private readonly b = 'x') {} get() { return this.b } } const o = new A(1); export default [o.a, o.get()]`,
    value: [1, 'x'],
  },
  {
    name: 'parameter properties of derived classes',
    source: `class B {} class A extends B { z = 1; constructor(public a: number) { super(); this.z += a } } const o = new A(1); export default [o.a, o.z]`,
    value: [1, 2],
  },
  {
    name: 'satisfies',
    source: `const o = { a: 1 } satisfies Record<string, number>; export default o.a`,
    value: 1,
    exact: true,
  },
  {
    name: 'as',
    source: `const o = (1 as unknown) as string; export default o as any as number`,
    value: 1,
    exact: true,
  },
  { name: 'as const', source: `export default [1, 2] as const`, value: [1, 2], exact: true },
  {
    name: 'type assertions in angle brackets',
    source: `const o = <any>{ a: 1 }; export default o.a`,
    value: 1,
  },
  {
    name: 'non-null assertions',
    source: `const o: any = { a: { b: 1 } }; export default o!.a!.b!`,
    value: 1,
    exact: true,
  },
  {
    name: 'generic arrow functions with a comma',
    source: `const f = <T,>(x: T): T => x; export default f(1)`,
    value: 1,
    exact: true,
  },
  {
    name: 'generic arrow functions without one',
    source: `const f = <T>(x: T) => x; export default f<number>(1)`,
    value: 1,
    exact: true,
  },
  {
    name: 'async generic arrow functions',
    source: `const f = async <T>(x: T): Promise<T> => x; export default await f<number>(1)`,
    value: 1,
    exact: true,
  },
  {
    name: 'generic calls in source that parses as JavaScript',
    source: `const id = (x) => x, string = 1; export default [id<string>(1), new Map<string>([[1, 2]]).size]`,
    value: [1, 1],
    exact: true,
  },
  {
    name: 'return types on a line of their own',
    source:
      'const f = (a: number,\n b: string\n):\n{ x: number } => ({ x: a }); export default f(1, "").x',
    value: 1,
    exact: true,
  },
  {
    name: 'type imports',
    source: `import type { A } from 'no'; import type B from 'no2'; const x: A = 1 as any; export default x`,
    value: 1,
    exact: true,
  },
  {
    name: 'types among imported names',
    source: `import { type A, load } from 'rows'; const x: A = load; export default x`,
    value: 7,
    exact: true,
  },
  {
    name: 'imports that only types use, not marked as such',
    source: `import { Foo } from 'no'; import Bar, { Baz as Q } from 'no2'; import * as N from 'no3'; let x: Foo | Bar | Q | N.T = 1 as any; export default x`,
    value: 1,
    exact: true,
  },
  {
    name: 'names among used ones that only types use',
    source: `import Def, { Row, load, Last } from 'rows'; const x: Row & Last = load; export default [x, Def]`,
    value: [7, 8],
    exact: true,
  },
  {
    name: 'a default import that only types use',
    source: `import Row, { load } from 'rows'; const x: Row = load; export default x`,
    value: 7,
    exact: true,
  },
  {
    name: 'import assignments of namespace members',
    source: `namespace N { export const a = 1 } import Q = N.a; export default Q`,
    value: 1,
  },
  {
    name: 'type exports',
    source: `type A = number; interface B {} export type { A, B }; export { type A as AA }; export type * from 'no'; export { type X } from 'no2'; export default 1`,
    value: 1,
    exact: true,
  },
  {
    name: 'an interface among exported names',
    source: `interface A {} const v = 1; export { A, v }; export default v`,
    value: 1,
  },
  {
    name: 'abstract classes',
    source: `abstract class A { abstract m(): number; abstract x: number; abstract get y(): number; n() { return this.m() } } class B extends A { m() { return 2 } x = 1; get y() { return 1 } } export default new B().n()`,
    value: 2,
    exact: true,
  },
  {
    name: 'overloads',
    source: `function f(a: string): string; function f(a: number): number; function f(a: any) { return a } class C { m(a: string): void; m(a: number): void; m(a: any) { return a } } export default [f(1), new C().m(2)]`,
    value: [1, 2],
    exact: true,
  },
  {
    name: 'declarations',
    source: `declare const X: number; declare function f(): void; declare class K {} declare module 'x' { const y: number } declare global { interface Window {} } declare namespace Q { const a: number } declare enum E { A } class A { declare z: number; w = 1 } export default ['z' in new A(), new A().w]`,
    value: [false, 1],
    exact: true,
  },
  {
    name: 'index signatures',
    source: `class A { [k: string]: any; a = 1 } interface B { [k: string]: number } export default new A().a`,
    value: 1,
    exact: true,
  },
  {
    name: 'fields without a value, defined as the standard says',
    source: `class P { x = 5 } class A extends P { x!: number; y?: string } export default ['y' in new A(), new A().x === undefined]`,
    value: [true, true],
    exact: true,
  },
  {
    name: 'optional chaining with type arguments',
    source: `const o: any = undefined; export default [o?.a!.b, o?.[0], o?.f<string>?.(1)].map((x) => x === undefined)`,
    value: [true, true, true],
  },
  {
    name: 'a parameter named this',
    source: `function f(this: { a: number }, b: number) { return this.a + b } export default f.call({ a: 1 }, 2)`,
    value: 3,
    exact: true,
  },
  {
    name: 'type predicates and assertion functions',
    source: `function f(x?: any): x is string { return x === 'a' } function g(x: any): asserts x {} export default [f('a'), g(1) ?? 0]`,
    value: [true, 0],
    exact: true,
  },
  {
    name: 'annotated destructuring, defaults and rest',
    source: `function f({ a, b }: { a: number; b?: string } = { a: 1 }, ...r: number[]) { return [a, b ?? 0, ...r] } export default f(undefined, 2)`,
    value: [1, 0, 2],
    exact: true,
  },
  {
    name: 'types of every kind',
    source:
      'type A<T> = T extends `a${infer U}` ? { readonly [K in keyof T]-?: T[K] } : [a: 1, ...b: 2[]]; type F = new (...a: any[]) => void; type G = typeof import("x"); type H = unique symbol; export default 1',
    value: 1,
    exact: true,
  },
  {
    name: 'class generics, implements and modifiers',
    source: `interface I<T> {} class P { hi() {} } class A<in out T extends object = {}> extends P implements I<T>, I<string> { private static readonly x?: number = 1; override hi(): string { return 'q' } static get<T>(): number { return A.x! } } export default [new A<{}>().hi(), A.get()]`,
    value: ['q', 1],
    exact: true,
  },
  {
    name: 'private names and static blocks',
    source: `class A { #p: number = 1; static s: number; static { A.s = 2 } get p(): number { return this.#p } has(o: any) { return #p in o } } export default [new A().p, A.s]`,
    value: [1, 2],
    exact: true,
  },
  {
    name: 'instantiation expressions',
    source: `const m = new Map<string, number>([['a', 1]]); const M = Map<string, number>; export default [m.get('a'), new M().size]`,
    value: [1, 0],
    exact: true,
  },
  {
    name: 'async generators',
    source: `class A { static async *g<T>(): AsyncGenerator<T> { yield 1 as any } } let r; for await (const x of A.g<number>()) r = x; export default r`,
    value: 1,
    exact: true,
  },
  {
    name: 'annotated catch bindings',
    source: `let r; try { throw 1 } catch (e: unknown) { r = e } export default r`,
    value: 1,
    exact: true,
  },
  {
    name: 'arrow functions in conditionals',
    source: `const a = 1, b = 2; const f = a ? (x: number) => x : (y: number) => y + 1; export default [f(1), a ? (b) : ((c: number): number => c)]`,
    value: [1, 2],
    exact: true,
  },
  {
    name: 'regular expressions and templates that look like types',
    source:
      'const r = /a\\/[/]b: string/; const t = `${(1 as number)} as string`; export default [r.source.length, t]',
    value: [15, '1 as string'],
    exact: true,
  },
  {
    name: 'text outside of ASCII',
    source: `\uFEFFconst s: string = '😀é'; type T = 'é😀'; export default s as T | string`,
    value: '😀é',
    exact: true,
  },
  {
    name: 'a hashbang',
    source: `#!/usr/bin/env node\nexport default 1 as number`,
    value: 1,
    exact: true,
  },
  {
    name: 'keywords as names',
    source: `const type = 1, as = 2, satisfies = 3, declare = 4, namespace = 5, abstract = 6; type\nexport default [type, as, satisfies, declare, namespace, abstract]`,
    value: [1, 2, 3, 4, 5, 6],
    exact: true,
  },
  {
    name: 'types between statements without semicolons',
    source: `const a = 1\ninterface Foo { x: number }\ntype Bar = { y: string }\n;[a].length\nexport default a`,
    value: 1,
  },
  {
    name: 'a type between a value and parentheses',
    source: `const f = (x: any) => x; const a = f\ntype T = string;\n(1 as any); export default typeof a`,
    value: 'function',
    exact: true,
  },
  {
    name: 'assertions on the left of an assignment',
    source: `let x: any; (x as any) = 1; x!++; for ((x as any) of [5]) {} export default x`,
    value: 5,
    exact: true,
  },
  {
    name: 'lone surrogates in literals',
    source: 'const s: string = "\ud800"; export default s.charCodeAt(0)',
    value: 0xd800,
    exact: true,
  },
  {
    name: 'lone surrogates next to an enum',
    source: 'enum A { X } const s: string = "\ud800"; export default s.charCodeAt(A.X)',
    value: 0xd800,
  },
  {
    name: 'JSX',
    source: `const React = { createElement: (t: any, p: any, ...c: any[]) => [t, p, ...c] }; const n: number = 1; export default <div a={n as number} b="x">hi {n}</div>`,
    value: ['div', { a: 1, b: 'x' }, 'hi ', 1],
    jsx: true,
  },
  {
    name: 'JSX with generics and fragments',
    source: `const React = { createElement: (t: any, p: any) => [typeof t, p], Fragment: 'F' }; const f = <T,>(x: T) => x; function C<T>(p: { v: T }) { return null } export default [<C<string> v="a" />, <>{f(1)}</>]`,
    value: [
      ['function', { v: 'a' }],
      ['string', null],
    ],
    jsx: true,
  },
  {
    name: 'JSX with a factory of its own and an enum',
    source: `/** @jsx h */ enum Kind { A = 'a' } const h = (t: any, p: any) => [t, p]; export default <Kind.A on />`,
    value: ['a', { on: true }],
    jsx: true,
  },
  {
    name: 'JSX with a runtime to import',
    source: `/** @jsxRuntime automatic */ import { load } from 'rows'; const n: number = load; export default typeof (() => <a>{n}</a>)`,
    value: 'function',
    jsx: true,
  },
  {
    name: 'a file for JSX that has none',
    source: `namespace N { export type T = number } const f = <T,>(x: T) => x; export default f<number>(1)`,
    value: 1,
    exact: true,
    jsx: true,
  },
];

module.exports = { SAMPLES };
