using Opossum.Testing.Given;

namespace Opossum.Testing.Reacting;

/// <summary>What every run of a reaction's scenario starts from.</summary>
/// <param name="Scenario">The given events and the clock.</param>
/// <param name="Whens">The events that happen, each group with the time since the one before.</param>
/// <param name="FirstAttempt">The number of the attempt that the first handler is told.</param>
/// <param name="Downtime">How much later another process continues after a crash.</param>
internal sealed record ReactionSetting(Scenario Scenario, Func<IEventStore, ReactionCalls, Reaction> Create,
    IReadOnlyList<(TimeSpan After, NewEvent[] Events)> Whens, int FirstAttempt, TimeSpan Downtime)
{
    public const string Root = "/store";

    public TestClock Clock => Scenario.Clock;

    public StoreClock StoreClock { get; } = new(Scenario.Clock);

    /// <summary>The options of each process's store. All processes have one master key.</summary>
    public OpossumOptions Options => new() { EventTypes = Scenario.Types, TimeProvider = StoreClock, PersonalData = personalData };

    private readonly PersonalDataOptions personalData = new() { MasterKey = MasterKey.Create() };
}
