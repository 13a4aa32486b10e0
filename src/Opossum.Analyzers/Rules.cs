using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Opossum.Analyzers;

/// <summary>Every rule. Each has a page in docs/analyzers.</summary>
public static class Rules
{
    // The rules below use it.
    private static readonly string pages = FindPages();

    public static readonly DiagnosticDescriptor IgnoredAppend = Rule("OPSM0001", "An append is not awaited",
        "{0} is not awaited, so nobody learns whether the events were stored or refused");

    public static readonly DiagnosticDescriptor MissingEventType = Rule("OPSM0002", "An event class has no [EventType]",
        "{0} has no [EventType(\"...\")], so its events have no name to be stored under");

    /// <summary>The same, where the whole compilation decides: it may register the class under a name.</summary>
    public static readonly DiagnosticDescriptor MissingEventTypeOfNewEvent = Rule("OPSM0002", "An event class has no [EventType]",
        "{0} has no [EventType(\"...\")], so the append of its events is refused", isOfCompilation: true);

    public static readonly DiagnosticDescriptor UnstableDecision = Rule("OPSM0003", "A decision reads a clock or draws at random",
        "{0} has another value in each attempt of the decision; take the value before the decision");

    public static readonly DiagnosticDescriptor EffectInDecision = Rule("OPSM0004", "A decision has a side effect",
        "{0} happens in each attempt of the decision, also when nothing is appended; do it after the decision");

    public static readonly DiagnosticDescriptor MissingTag = Rule("OPSM0005", "Events never have the tag that is asked for",
        "{0} declares no tag {1}, and no append gives it, so no event is found", isOfCompilation: true);

    public static readonly DiagnosticDescriptor MisplacedAttribute = Rule("OPSM0006", "An attribute has no effect",
        "{0} on {1} has no effect or is refused, because the property {2}");

    /// <summary>The same, where the whole compilation decides: it may use the class as an event.</summary>
    public static readonly DiagnosticDescriptor MisplacedAttributeInside = Rule("OPSM0006", "An attribute has no effect",
        "{0} on {1} has no effect, because the property {2}", isOfCompilation: true);

    public static readonly DiagnosticDescriptor AfterOfAnotherRead = Rule("OPSM0007", "A condition has the position of another read",
        "This position is later than the read of the condition's query, so the condition does not see what was appended in between");

    public static readonly DiagnosticDescriptor UnregisteredEventType = Rule("OPSM0008", "An event class is not registered",
        "{0} is not registered as an event type, as others are, so the call is refused", isOfCompilation: true);

    public static readonly DiagnosticDescriptor MissingCondition = Rule("OPSM0009", "An append that depends on a read has no condition",
        "The append depends on a read and has no condition, so it is made also when what was read has changed", DiagnosticSeverity.Info);

    private static DiagnosticDescriptor Rule(string id, string title, string message,
        DiagnosticSeverity severity = DiagnosticSeverity.Warning, bool isOfCompilation = false) =>
        new(id, title, message, "Opossum", severity, isEnabledByDefault: true, helpLinkUri: pages + id + ".md",
            customTags: isOfCompilation ? [WellKnownDiagnosticTags.CompilationEnd] : []);

    // The build writes the address into the assembly once the repository has one. Until then a build names the page's file,
    // and an editor has no link.
    private static string FindPages()
    {
        var repository = typeof(Rules).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .FirstOrDefault(static each => each.Key == "RepositoryUrl")?.Value;
        return string.IsNullOrEmpty(repository) ? "docs/analyzers/" : repository + "/blob/main/docs/analyzers/";
    }
}
