using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.Following;
using Opossum.Projections.Reading;
using Opossum.Reactions.Reading;

namespace Opossum.DependencyInjection;

/// <summary>The health of a store, its projections and reactions: reports every finding, and the worst one as the status.</summary>
internal sealed class StoreHealth(HealthStatus failureStatus, StoreStatus store, HostedReopening? reopening = null, bool isBeingReopened = false)
{
    private readonly List<string> findings = [];
    private readonly Dictionary<string, object?> projections = new(StringComparer.Ordinal);
    private readonly Dictionary<string, object?> reactions = new(StringComparer.Ordinal);
    private readonly List<Dictionary<string, object?>> replicas = [];
    private HealthStatus status = HealthStatus.Healthy;

    public HealthCheckResult Result => new(
        status,
        findings.Count > 0 ? string.Join(' ', findings) : $"The store is at position {store.Head}.",
        data: new Dictionary<string, object>
        {
            ["head"] = store.Head,
            ["path"] = store.Path,
            ["id"] = $"{store.Id}",
            ["fileSystem"] = store.FileSystem,
            ["isNetwork"] = store.IsNetwork,
            ["isReadOnly"] = store.IsReadOnly,
            ["flush"] = store.Flush.ToString(),
            ["fault"] = store.Fault ?? "",
            ["keysProblem"] = store.KeysProblem ?? "",
            ["tagRulesProblem"] = store.TagRulesProblem ?? "",
            ["reopened"] = reopening?.Count ?? 0,
            ["lastFault"] = reopening?.LastFault ?? store.Fault ?? "",
            ["proof"] = Proof,
            ["projections"] = projections,
            ["reactions"] = reactions,
            ["replicas"] = replicas,
        });

    /// <summary>Checks an open store.</summary>
    /// <param name="runner">Its projections; null if there are none.</param>
    /// <param name="failureStatus">The status to report instead of unhealthy.</param>
    /// <param name="reopening">The state of its reopening after a fault; null: it is not reopened.</param>
    /// <param name="reactions">Its reactions; null if there are none, or before they start.</param>
    /// <param name="replicas">The folders that follow it; null if there are none.</param>
    /// <exception cref="ObjectDisposedException">The store is closed.</exception>
    public static async Task<HealthCheckResult> JudgeAsync(FileSystemEventStore store, FollowerRunner? runner, HealthStatus failureStatus,
        CancellationToken cancellationToken, HostedReopening? reopening = null, FollowerRunner? reactions = null,
        IReadOnlyList<HostedReplica>? replicas = null)
    {
        var status = await store.ReadStatusAsync(withCounts: false, withSizes: false, cancellationToken).ConfigureAwait(false);
        var health =
            new StoreHealth(failureStatus, status, reopening, isBeingReopened: store.Faulted.IsCompleted && reopening is { IsGivenUp: false });
        health.JudgeStore();
        health.JudgeKeys();
        health.JudgeTagRules();
        health.JudgeProof();
        foreach (var finding in status.SchemaFindings)
            health.Find(HealthStatus.Degraded, finding);
        foreach (var replica in replicas ?? [])
            health.Judge(replica, store.Now);
        foreach (var projection in runner?.Readers.Cast<ProjectionReader>() ?? [])
            health.Judge(await projection.GetStatusAsync(cancellationToken).ConfigureAwait(false));
        foreach (var reaction in reactions?.Readers.Cast<ReactionReader>() ?? [])
            health.Judge(await reaction.GetStatusAsync(cancellationToken).ConfigureAwait(false));
        return health.Result;
    }

    /// <summary>Adds the store's fault, if it has one.</summary>
    public void JudgeStore()
    {
        if (store.Fault is null)
            return;
        Find(isBeingReopened ? HealthStatus.Degraded : failureStatus, $"The store accepts no appends until it is opened again: {store.Fault}");
        if (isBeingReopened)
            findings.Add("It is being opened again.");
        if (reopening?.Problem is { } problem)
            findings.Add($"{reopening.Attempts} attempts to open it again have failed: {problem}");
    }

    // The same for all processes, and for as long as nobody does something about it.
    private void JudgeKeys()
    {
        if (store.KeysProblem is { } problem)
            Find(failureStatus, problem);
    }

    // Queries by the tag may miss events; all else continues.
    private void JudgeTagRules()
    {
        if (store.TagRulesProblem is { } problem)
            Find(HealthStatus.Degraded, problem);
    }

    // Appends go on without a proof, so nothing has stopped.
    private void JudgeProof()
    {
        foreach (var finding in store.Proof?.Findings ?? [])
            Find(HealthStatus.Degraded, finding);
    }

    // Empty: the store keeps no proof.
    private Dictionary<string, object?> Proof => store.Proof is not { } proof ? [] : new(StringComparer.Ordinal)
    {
        ["checkpointPosition"] = proof.CheckpointPosition,
        ["checkpointTime"] = proof.CheckpointTime,
        ["problem"] = proof.Problem,
        ["witnesses"] = proof.Witnesses.Select(static each => new Dictionary<string, object?>(StringComparer.Ordinal)
        {
            ["folder"] = each.Folder,
            ["position"] = each.Position,
            ["time"] = each.Time,
            ["problem"] = each.Problem,
        }).ToList(),
    };

    public void Judge(ProjectionStatus projection)
    {
        var what = $"The projection {projection.Name}";
        Add(projections, what, projection, projection.Fault?.Error)["version"] = projection.Version;
        switch (projection.Phase)
        {
            case FollowerPhase.Rebuilding:
                // A process of an older version keeps the lead until it ends.
                Find(HealthStatus.Degraded, projection is { RebuildPosition: null, IsLeader: false }
                    ? $"{what} is not being built yet: a process builds version {projection.Version} once those of other versions have ended."
                    : $"{what} is being built: {projection.RebuildPosition ?? 0} of {projection.Head}.");
                break;
            case FollowerPhase.Superseded:
                Find(HealthStatus.Degraded,
                    $"{what} was built in a higher version than {projection.Version}, the version of this process; update this process, or, after a "
                        + "rollback, raise its version.");
                break;
            case FollowerPhase.Halted:
                Find(failureStatus, $"{what} has stopped at position {projection.Fault?.Position}: {projection.Fault?.Error}");
                break;
        }
        JudgeProblem(what, projection);
    }

    public void Judge(ReactionStatus reaction)
    {
        var what = $"The reaction {reaction.Name}";
        var data = Add(reactions, what, reaction, reaction.Halt);
        (data["open"], data["failing"], data["parked"]) = (reaction.Open, reaction.Failing, reaction.Parked.Count);
        if (reaction.Halt is { } halt)
            Find(failureStatus, $"{what} handles nothing: {halt}");
        if (reaction.Parked.Count is > 0 and var parked)
            Find(HealthStatus.Degraded, $"{what} has parked {parked} {(parked == 1 ? "event" : "events")}.");
        JudgeProblem(what, reaction);
    }

    private Dictionary<string, object?> Add(Dictionary<string, object?> all, string what, FollowerStatus added, string? error)
    {
        if (added.Phase == FollowerPhase.Starting)
            Find(HealthStatus.Degraded, $"{what} is starting.");
        else if (added.Phase == FollowerPhase.NotRunHere)
            Find(isBeingReopened ? HealthStatus.Degraded : failureStatus, $"{what} is stopped.");
        var data = new Dictionary<string, object?>(StringComparer.Ordinal)
        {
            ["phase"] = added.Phase.ToString(),
            ["position"] = added.Position,
            ["lag"] = added.Lag,
            ["isLeader"] = added.IsLeader,
            ["error"] = error ?? added.Problem?.Error,
        };
        all[added.Name] = data;
        return data;
    }

    private void JudgeProblem(string what, FollowerStatus judged)
    {
        if (judged.Problem is { } problem)
            Find(HealthStatus.Degraded, $"{what} cannot continue for now: {problem.Error}");
    }

    /// <summary>Adds a folder that follows the store.</summary>
    public void Judge(HostedReplica replica, DateTimeOffset now)
    {
        var behind = now - replica.SeenAt;
        replicas.Add(new Dictionary<string, object?>(StringComparer.Ordinal)
        {
            ["path"] = replica.Path,
            ["head"] = replica.Last?.Head,
            ["lag"] = replica.Last is { } last ? Math.Max(0, store.Head - last.Head) : null,
            ["lagSeconds"] = (long)(now - replica.FullAt).TotalSeconds,
            ["seenAt"] = replica.SeenAt,
            ["problem"] = replica.Problem,
        });
        if (replica.HasEnded)
            Find(failureStatus, $"The replica {replica.Path} does not follow any more: {replica.Problem}");
        else if (behind > replica.SilenceMax)
            Find(failureStatus, $"The replica {replica.Path} has not seen the store since {replica.SeenAt:O}. {replica.Problem}".TrimEnd());
        else if (replica.Problem is { } problem)
            Find(HealthStatus.Degraded, $"The replica {replica.Path} does not follow, or not with all: {problem}");
    }

    private void Find(HealthStatus found, string what)
    {
        status = found < status ? found : status;
        findings.Add(what);
    }
}
