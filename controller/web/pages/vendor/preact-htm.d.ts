// What the vendored file exports, typed by the packages it was built from.
import type { Component, ComponentChild, VNode } from "preact";
export { Component, h } from "preact";
export { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
export function render(tree: ComponentChild, parent: Element): void;
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode;
