import { EventStream, okEvents, refusedWithErrors } from '../../operations/responses.ts';
import { Problem } from '../../operations/problem.ts';
import { OpenStreams } from '../../operations/open-streams.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ChangeWatch } from '../../book/watch.ts';
import { changeExamples as examples, ChangeList, ChangeQuery } from './schema.ts';
import { Follower } from './follow.ts';
import { read } from '../../operations/operation.ts';

/** A quarter of the connections of a node. */
const mostOfNode = 2000;

/** Returns the operation of the change feed. */
export function changeRoutes({ watch }: { readonly watch: ChangeWatch }): readonly Operation[] {
  const streams = new OpenStreams({ noun: 'streams', ofCaller: 10, ofNode: mostOfNode });
  return [
    read(
      {
        path: '/coffer/changes',
        tag: 'changes',
        id: 'getChanges',
        summary: 'Follow changes',
        description:
          'Returns each record that was made, changed or removed, in the order of the commits, without gap. ' +
          'Each has its present form, so a record that changed twice is the same twice. ' +
          'With `Accept: text/event-stream` the response is a stream that does not end; `Last-Event-ID` replaces ' +
          '`after`. An access token or a session has at most 10 streams.',
        query: ChangeQuery,
        response: okEvents(ChangeList, 'The changes.', examples.events),
        refusals: {
          410: refusedWithErrors(
            410,
            'The changes after the position do not exist: they were pruned, or the position is of another book or ' +
              'database. `oldest_version` of the error is the oldest version to begin after.',
            examples.gone,
          ),
        },
      },
      async (request, engine) => {
        const follower = new Follower(engine, watch, request);
        if (request.events === null) return follower.page();
        if (watch.isStopped) throw new Problem('unavailable', { headers: { 'retry-after': '1' } });
        streams.add(request.identity.callerId, request.signal);
        return new EventStream(await follower.events(request.events.lastEventId));
      },
      { inParts: true, isVolatile: true },
    ),
  ];
}
