'use strict';

// process.versions, process.release, process.features, process.config: what is linked and what level is kept.

const { versions: linked } = binding('process');

const version = 'v24.12.0';

/** The libraries of package.json that are part of this program, by the names that programs know. */
const bundled = { acorn: '8.15.0', amaro: '1.1.5', cjs_module_lexer: '2.1.0', undici: '7.30.2' };

function define(object, values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(object, name, {
      __proto__: null, value, writable: false, enumerable: true, configurable: false,
    });
  }
  return object;
}

function makeVersions() {
  const sorted = {};
  const all = { ...linked, ...bundled, node: '24.12.0', uv: '1.51.0', modules: '137', napi: '10' };
  sorted.node = all.node;
  delete all.node;
  for (const name of Object.keys(all).sort()) sorted[name] = all[name];
  return define({}, sorted);
}

const release = define({}, {
  name: 'node',
  lts: 'Krypton',
  sourceUrl: `https://nodejs.org/download/release/${version}/node-${version}.tar.gz`,
  headersUrl: `https://nodejs.org/download/release/${version}/node-${version}-headers.tar.gz`,
});

function makeFeatures() {
  const features = define({}, {
    inspector: true, debug: false, uv: true, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: true, tls: true,
    openssl_is_boringssl: false,
  });
  const { getOptionValue } = require('#runtime/options');
  const getter = (name, get) => Object.defineProperty(features, name, {
    __proto__: null, get, enumerable: true, configurable: false,
  });
  getter('cached_builtins', () => true);
  getter('require_module', () => getOptionValue('--experimental-require-module'));
  getter('typescript', () => {
    if (getOptionValue('--experimental-transform-types')) return 'transform';
    return getOptionValue('--strip-types') ? 'strip' : false;
  });
  return features;
}

function makeConfig() {
  const config = {
    target_defaults: {
      cflags: [], default_configuration: 'Release', defines: [], include_dirs: [], libraries: [],
    },
    variables: {
      napi_build_version: '10', node_shared: false, node_use_openssl: true, node_shared_openssl: false,
      openssl_is_fips: false, v8_enable_i18n_support: 1, v8_enable_webassembly: 1, host_arch: 'x64', target_arch: 'x64',
      is_debug: 0, asan: 0, icu_small: false, node_use_v8_platform: true, node_builtin_shareable_builtins: [],
      node_without_node_options: false, node_enable_inspector: false, single_executable_application: false,
      node_use_amaro: true, node_module_version: 137, shlib_suffix: 'so.137', coverage: false,
    },
  };
  Object.freeze(config.variables);
  Object.freeze(config.target_defaults);
  return Object.freeze(config);
}

module.exports = { version, makeVersions, release, makeFeatures, makeConfig };
