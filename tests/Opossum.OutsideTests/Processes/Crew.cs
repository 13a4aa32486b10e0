using System.Text.Json;
using System.Text.RegularExpressions;
using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

/// <summary>Processes that append at random to one store; some are killed and others started in their place, until all attempts are made.</summary>
internal sealed partial class Crew(StoreFolder folder, int seed, int processes, int attemptsEach)
{
    private readonly Lock gate = new();
    private readonly Random random = new(seed);
    private readonly List<Answer> answers = [];
    private readonly WorkerProcess?[] workers = new WorkerProcess?[processes];
    private int killsDue;
    private int started;

    /// <summary>How many are killed while they append; half of them are those that had the lock last.</summary>
    public int Kills { get; init; }

    /// <summary>How many are killed while they open the store.</summary>
    public int KillsAtOpening { get; init; }

    /// <summary>In how many places they use a journal.</summary>
    public int PlacesWithJournal { get; init; }

    /// <summary>
    /// Does something beside a halted process: some are halted before they are killed, and others halted instead. Null: none is halted.
    /// </summary>
    public Action? WhileHalted { get; init; }

    /// <summary>Told, now and then, that the crew is in the midst of its work.</summary>
    public Action? Meanwhile { get; init; }

    public int Killed { get; private set; }

    public int Halted { get; private set; }

    public int KilledAtOpening { get; private set; }

    /// <summary>Does all the work and returns how each append ended whose end was told.</summary>
    public async Task<List<Answer>> RunAsync()
    {
        try
        {
            await Task.WhenAll(Enumerable.Range(0, processes).Select(RunPlaceAsync));
            return answers;
        }
        finally
        {
            foreach (var worker in workers)
                worker?.Dispose();
        }
    }

    private async Task RunPlaceAsync(int place)
    {
        for (var open = attemptsEach; open > 0;)
        {
            var number = Interlocked.Increment(ref started);
            var role = folder.Role("write", $"w{number}", $"{(seed * 31) + number}", $"{open}");
            using var worker = WorkerProcess.Start(place < PlacesWithJournal ? [.. role, "journal"] : role);
            lock (gate)
                workers[place] = worker;
            while (await worker.HearOrEndAsync() is { } line)
            {
                if (line == RandomWriter.Opening)
                {
                    KillAtOpening(worker);
                    continue;
                }
                open--;
                Take(JsonSerializer.Deserialize<Answer>(line)!);
            }
            await worker.EndAsync();
            lock (gate)
                workers[place] = null;
        }
    }

    private void Take(Answer answer)
    {
        lock (gate)
        {
            answers.Add(answer);
            if (answers.Count % 50 == 0)
                Meanwhile?.Invoke();
            if (random.Next(processes * attemptsEach) < Kills * 5 / 4)
                killsDue++;
            if (killsDue > 0 && Killed < Kills && FindVictim() is { } victim)
            {
                Interrupt(victim);
                killsDue--;
            }
        }
    }

    private void Interrupt(WorkerProcess victim)
    {
        if (WhileHalted is not null && random.Next(2) == 0)
        {
            if (!victim.TryHalt())
                return;
            Halted++;
            WhileHalted();
            if (random.Next(2) == 0)
            {
                victim.GoOn();
                return;
            }
        }
        victim.Kill();
        Killed++;
    }

    private void KillAtOpening(WorkerProcess worker)
    {
        lock (gate)
        {
            if (KilledAtOpening == KillsAtOpening || answers.Count == 0)
                return;
            KilledAtOpening++;
            worker.Kill();
        }
    }

    private WorkerProcess? FindVictim()
    {
        var alive = workers.Where(worker => worker is { WasKilled: false }).ToArray();
        if (alive.Length == 0)
            return null;
        var chosen = alive[random.Next(alive.Length)];
        return random.Next(2) == 0 ? chosen : alive.FirstOrDefault(worker => worker!.Id == LockHolder()) ?? chosen;
    }

    private int LockHolder()
    {
        using var file = new FileStream(folder.Layout.LockFile, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        using var reader = new StreamReader(file);
        return HolderText().Match(reader.ReadLine() ?? "") is { Success: true } match ? int.Parse(match.Groups[1].Value) : 0;
    }

    [GeneratedRegex(@"^held by process (\d+) ")]
    private static partial Regex HolderText();
}
