'use strict';

// The JUnit reporter: XML for CI servers. It is written when the run has ended, because a suite's element
// begins with counts.

const { inspectWithNoCustomRetry } = require('#internal/errors');

const escapeAttribute = (text) => escapeContent(text.replace(/"/g, '&quot;').replace(/\n/g, ''));
const escapeContent = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function treeToXml(tree) {
  if (typeof tree === 'string') return `${escapeContent(tree)}\n`;
  const { tag, attrs, nesting, children, comment } = tree;
  const indent = '\t'.repeat(nesting + 1);
  if (comment !== undefined) return `${indent}<!-- ${escapeContent(comment).replaceAll('--', '&#45;&#45;')} -->\n`;
  const attributes = Object.keys(attrs).map((name) => (
    attrs[name] === undefined ? '' : ` ${name}="${escapeAttribute(String(attrs[name]))}"`)).join('');
  if (!children?.length) return `${indent}<${tag}${attributes}/>\n`;
  const content = children.map(treeToXml).join('');
  return `${indent}<${tag}${attributes}>\n${content}${indent}</${tag}>\n`;
}

const isFailure = (node) => node.children?.some((child) => child.tag === 'failure') || node.attrs?.failures > 0 ||
  node.attrs?.failure !== undefined;
const isSkipped = (node) => node.children?.some((child) => child.tag === 'skipped') || node.attrs?.skipped > 0;

class JunitFormatter {
  #roots = [];
  #current = null;

  begin() {
    return '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n';
  }

  #start(data) {
    const parent = this.#current;
    this.#current = {
      attrs: { __proto__: null, name: data.name }, nesting: data.nesting, parent, children: [],
    };
    (parent === null ? this.#roots : parent.children).push(this.#current);
  }

  #addComment(text, nesting) {
    (this.#current === null ? this.#roots : this.#current.children).push({ __proto__: null, nesting, comment: text });
  }

  #end(type, data) {
    if (this.#current === null || this.#current.attrs.name !== data.name || this.#current.nesting !== data.nesting) {
      this.#start(data);
    }
    const node = this.#current;
    this.#current = node.parent;
    node.attrs.time = (data.details.duration_ms / 1000).toFixed(6);
    const tests = node.children.filter((child) => child.comment === undefined);
    if (tests.length > 0) {
      node.tag = 'testsuite';
      node.attrs.disabled = 0;
      node.attrs.errors = 0;
      node.attrs.tests = tests.length;
      node.attrs.failures = tests.filter(isFailure).length;
      node.attrs.skipped = tests.filter(isSkipped).length;
      node.attrs.hostname = require('os').hostname();
      return;
    }
    node.tag = 'testcase';
    node.attrs.classname = data.classname ?? 'test';
    node.attrs.file = data.file;
    this.#mark(type, data, node);
  }

  #mark(type, data, node) {
    if (data.skip !== undefined) {
      node.children.push({
        __proto__: null, nesting: data.nesting + 1, tag: 'skipped',
        attrs: { __proto__: null, type: 'skipped', message: data.skip },
      });
    }
    if (data.todo !== undefined) {
      node.children.push({
        __proto__: null, nesting: data.nesting + 1, tag: 'skipped',
        attrs: { __proto__: null, type: 'todo', message: data.todo },
      });
    }
    if (type !== 'test:fail') return;
    const { error } = data.details;
    node.children.push({
      __proto__: null, nesting: data.nesting + 1, tag: 'failure',
      attrs: { __proto__: null, type: error?.failureType || error?.code, message: error?.message ?? '' },
      children: [inspectWithNoCustomRetry(error, { colors: false, breakLength: Infinity })],
    });
    node.attrs.failure = error?.message ?? '';
  }

  format({ type, data }) {
    if (type === 'test:start') this.#start(data);
    else if (type === 'test:pass' || type === 'test:fail') this.#end(type, data);
    else if (type === 'test:diagnostic') this.#addComment(data.message, data.nesting);
    return '';
  }

  end() {
    return `${this.#roots.map(treeToXml).join('')}</testsuites>\n`;
  }
}

module.exports = { JunitFormatter };
