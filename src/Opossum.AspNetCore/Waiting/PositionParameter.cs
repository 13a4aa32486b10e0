using System.ComponentModel;
using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Metadata;
using Microsoft.AspNetCore.Mvc;

namespace Opossum.AspNetCore.Waiting;

/// <summary>Describes <c>after</c> to what lists the parameters of endpoints, such as OpenAPI documents, although no handler has it.</summary>
internal sealed class PositionParameter : IParameterBindingMetadata
{
    public string Name => OpossumEndpointExtensions.AfterParameter;

    public bool HasTryParse => true;

    public bool HasBindAsync => false;

    public ParameterInfo ParameterInfo { get; } = ((Delegate)Handle).Method.GetParameters()[0];

    public bool IsOptional => true;

    /// <summary>Describes the parameter of an endpoint, unless its handler has it or another call has described it.</summary>
    public static void Describe(EndpointBuilder endpoint)
    {
        if (!endpoint.Metadata.OfType<IParameterBindingMetadata>().Any(static known => known.Name == OpossumEndpointExtensions.AfterParameter))
            endpoint.Metadata.Add(new PositionParameter());
    }

    // The shape of a handler that has the parameter.
    private static long? Handle([FromQuery, Description("Waits until the answer includes the event at this position.")] long? after = null) => after;
}
