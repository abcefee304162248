import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** One small fault: the text between two positions of a file, replaced. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The functions around it, the innermost first. */
  readonly functions: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}
type Change = readonly [kind: string, start: number, end: number, text: string];

const shifted: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

/**
 * Every small fault that can be put into a file. Texts are left alone: a misspelt message is no broken promise. So are
 * numbers, as Stryker does it: most are times and sizes, where one more changes nothing that anybody could notice.
 */
export function faultsOf(root: string, file: string): Fault[] {
  const source = readFileSync(`${root}/${file}`, 'utf8');
  const found: Fault[] = [];
  const walk = (node: Node, parent: Node | undefined, functions: readonly string[]) => {
    // Types, and what is only written to the log, change nothing that a caller could notice.
    if (node.type.startsWith('TS') && !isCast(node)) return;
    if (/^(this\.)?(log|logger)\.\w+\(/.test(source.slice(node.start, node.end))) return;
    for (const [kind, start, end, text] of changesOf(node, parent, source)) {
      const line = source.slice(0, start).split('\n').length;
      found.push({ file, line, kind, start, end, text, functions });
    }
    const name = isFunction(node) ? nameOf(node, parent) : undefined;
    const around = name === undefined ? functions : [name, ...functions];
    for (const child of childrenOf(node)) walk(child, node, around);
  };
  walk(parseAst(source, { lang: 'ts' }) as unknown as Node, undefined, []);
  return found;
}

function changesOf(node: Node, parent: Node | undefined, source: string): Change[] {
  const textOf = (part: Node) => source.slice(part.start, part.end);
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement': {
      const test = node.test as Node;
      return [['condition negated', test.start, test.end, `!(${textOf(test)})`]];
    }
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [left, right] = [node.left as Node, node.right as Node];
      const operator = String(node.operator);
      const instead = shifted[operator];
      const isSum = operator === '+' || operator === '-';
      // A sum of texts is left alone.
      if (!instead || (isSum && !isNumber(left) && !isNumber(right))) return [];
      const at = left.end + source.slice(left.end, right.start).indexOf(operator);
      return [[`${operator} is ${instead}`, at, at + operator.length, instead]];
    }
    case 'CallExpression': {
      const callee = node.callee as Node;
      if (callee.type !== 'MemberExpression') return [];
      const [object, property] = [callee.object as Node, callee.property as Node];
      if (textOf(callee) === 'Math.max') return [['max is min', property.start, property.end, 'min']];
      if (textOf(callee) === 'Math.min') return [['min is max', property.start, property.end, 'max']];
      if (/^where\w*$/.test(textOf(property))) return [['where dropped', object.end, node.end, '']];
      return [];
    }
    case 'ExpressionStatement': {
      const call = node.expression as Node;
      const isCall = call.type === 'AwaitExpression' || call.type === 'CallExpression';
      return isCall ? [['call dropped', node.start, node.end, ';']] : [];
    }
    case 'ReturnStatement':
    case 'ThrowStatement':
      return parent?.type === 'IfStatement' ? [[`early end dropped`, node.start, node.end, ';']] : [];
    case 'Literal':
      if (typeof node.value === 'boolean')
        return [[`${node.value} is ${!node.value}`, node.start, node.end, String(!node.value)]];
      return [];
    default:
      return [];
  }
}

const isNumber = (node: Node) => node.type === 'Literal' && typeof node.value === 'number';
const isCast = ({ type }: Node) => type === 'TSAsExpression' || type === 'TSSatisfiesExpression';
const isFunction = ({ type }: Node) =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';

/** As the engine names functions. */
function nameOf(node: Node, parent: Node | undefined): string | undefined {
  const named = [node.id, parent?.type === 'VariableDeclarator' ? parent.id : parent?.key];
  return named.filter(isNode).find(({ type }) => type === 'Identifier')?.name as string | undefined;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode);
