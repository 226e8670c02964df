import { describe, expect, it } from 'vitest';
import { pageOfMissing } from '../web/repository/repository-route.ts';
import { parseVcsAddress } from './vcs-address.ts';

const parse = (method: string, url: string) =>
  parseVcsAddress({ method, url }, (segments) => pageOfMissing(segments) !== null);

describe('parseVcsAddress', () => {
  it.each([
    ['GET', '/a/info/refs?service=git-upload-pack', 'git-refs', 'a'],
    ['GET', '/group/a.git/info/refs?service=git-upload-pack', 'git-refs', 'group/a'],
    ['GET', '/_12/info/refs?service=git-upload-pack', 'git-refs', 12],
    ['GET', '/_12.git/info/refs?service=git-upload-pack', 'git-refs', 12],
    ['GET', '/gr%C3%BC%C3%9Fe/info/refs?service=git-upload-pack', 'git-refs', 'grüße'],
    ['POST', '/group/a/git-upload-pack', 'git-fetch', 'group/a'],
    ['GET', '/a/info/refs?service=git-receive-pack', 'git-push-refs', 'a'],
    ['POST', '/a.git/git-receive-pack', 'git-push', 'a'],
    ['GET', '/a/info/refs', 'unknown-service', 'a'],
    ['GET', '/a/info/refs?service=git-shell', 'unknown-service', 'a'],
    ['GET', '/a?cmd=clonebundles', 'unknown-command', 'a'],
    ['GET', '/a?cmd=', 'unknown-command', 'a'],
    ['GET', '/a?cmd=Heads', 'unknown-command', 'a'],
    ['POST', '/a.git/info/lfs/objects/batch', 'git-lfs', 'a.git/info/lfs/objects/batch'],
    ['GET', '/a/info/lfs/locks?path=x', 'git-lfs', 'a/info/lfs/locks'],
  ])('%s %s is %s of %s', (method, url, kind, repoid) => {
    expect(parse(method, url)).toEqual({ kind, repoid });
  });

  it.each([
    ['GET', '/group/a?cmd=capabilities', 'capabilities', 'group/a'],
    ['GET', '/_12?cmd=heads&cmd=unbundle', 'heads', 12],
    ['POST', '/group/a/?cmd=getbundle', 'getbundle', 'group/a'],
    ['GET', '/a/b.git?cmd=known', 'known', 'a/b'],
    ['POST', '/a?x=1&cmd=unbundle', 'unbundle', 'a', 'hg-push'],
    ['POST', '/_12?cmd=pushkey', 'pushkey', 12, 'hg-push'],
    ['GET', '/group/files?cmd=capabilities', 'capabilities', 'group/files'],
    ['GET', '/tools/archive?cmd=getbundle', 'getbundle', 'tools/archive'],
    ['POST', '/x/settings/delete?cmd=batch', 'batch', 'x/settings/delete'],
    ['POST', '/a/tags?cmd=unbundle', 'unbundle', 'a/tags', 'hg-push'],
  ])('%s %s is the command %s of %s', (method, url, command, repoid, kind = 'hg') => {
    expect(parse(method, url)).toEqual({ kind, command, repoid });
  });

  it.each([
    '/info/refs',
    '/.git/info/refs',
    '/12/info/refs',
    '/12.git/info/refs',
    '/_4294967296/info/refs',
    '/a%2Fb/info/refs',
    `/${'x'.repeat(256)}/info/refs`,
  ])('C1 the path %s names no repository', (path) => {
    expect(parse('GET', `${path}?service=git-upload-pack`)).toEqual({ kind: 'git-refs', repoid: null });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/?cmd=capabilities'],
    ['GET', '/a'],
    ['GET', '/a?command=x&xcmd=y'],
    ['GET', '/a/files/tip/info/refs'],
    ['GET', '/a/raw/tip/info/lfs/x'],
    ['GET', '/a/files/tip?cmd=clonebundles'],
    ['PUT', '/a/files?cmd=heads'],
    ['GET', '/a/git-upload-pack'],
    ['POST', '/a/info/refs?service=git-upload-pack'],
    ['GET', '/_admin/users?cmd=x'],
    ['POST', '/_admin/git-upload-pack'],
    ['GET', '/a/%00/info/refs?service=git-upload-pack'],
    ['GET', '/a/%zz/info/refs?service=git-upload-pack'],
    ['GET', '//info/refs?service=git-upload-pack'],
  ])('%s %s is left to the pages', (method, url) => {
    expect(parse(method, url)).toBeNull();
  });
});
